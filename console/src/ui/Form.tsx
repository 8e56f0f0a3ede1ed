import {
  type ChangeEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { DraftName, dropDraft, FieldProblems, fieldMessage, findDraft, registerDraft } from '../lib/form-drafts.ts';
import { t } from '../lib/i18n.ts';
import type { FieldProblem } from '../lib/problem.ts';
import styles from './Form.module.css';

type FormProps = {
  readonly problems?: readonly FieldProblem[] | undefined;
  /** Whether the browser may store what is typed. */
  readonly keeps?: boolean;
  readonly submit: (data: FormData) => unknown;
  /** Called at each change of a field. */
  readonly change?: () => void;
  readonly children: ReactNode;
};

/** Form whose fields show refusals: each finds its own in `problems` by its path in the input (`component.tag`). */
export function Form({ problems = [], keeps = true, submit, change, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useDraft(form, keeps);
  const [answers, setAnswers] = useState(0);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    await submit(new FormData(event.currentTarget));
    setAnswers((before) => before + 1);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is why the focus moves to what is wrong.
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [answers]);
  return (
    <FieldProblems value={problems}>
      <form
        ref={form}
        className={styles.form}
        onSubmit={(event) => void send(event)}
        {...(change === undefined ? {} : { onChange: change })}
        noValidate
      >
        {children}
      </form>
    </FieldProblems>
  );
}

function useDraft(form: RefObject<HTMLFormElement | null>, keeps: boolean): void {
  const name = use(DraftName);
  useEffect(() => {
    const { current } = form;
    if (!keeps || name === undefined || current === null) return;
    for (const [field, text] of findDraft(name) ?? []) {
      const control = current.elements.namedItem(field);
      if (!isWritten(control)) continue;
      control.value = text;
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
    dropDraft(name);
    return registerDraft(name, () => new FormData(current));
  }, [name, form, keeps]);
}

const isWritten = (control: Element | RadioNodeList | null) =>
  control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement;

type Common = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Error that the page itself found; the server's error wins. */
  readonly wrong?: string | undefined;
};

type TextFieldProps = Common & {
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onValue?: (value: string) => void;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  readonly inputMode?: 'numeric';
  /** Password: hidden while typed, and no password manager offers one of the user's own. */
  readonly type?: 'password' | 'email' | 'datetime-local';
};

export function TextField({ name, label, hint, wrong, onValue, maxLength, ...rest }: TextFieldProps) {
  const { tooLong, measure } = useLimit(maxLength, rest);
  const { labelled, control } = useField({ name, label, hint, wrong, tooLong });
  return labelled(
    <input
      {...rest}
      {...control}
      className={styles.input}
      autoComplete={rest.type === 'password' ? 'new-password' : 'off'}
      onChange={({ target: { value } }) => {
        measure(value);
        onValue?.(value);
      }}
    />,
  );
}

type TextAreaProps = Common & {
  readonly defaultValue?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  readonly rows?: number;
  readonly onValue?: (value: string) => void;
  /** Code: letters of one width, and no spelling is checked. */
  readonly code?: boolean;
};

/** Several lines of text. Control or Command with Enter sends them, and so does Enter alone while there are none. */
export function TextArea({ name, label, hint, wrong, maxLength, onValue, code = false, ...rest }: TextAreaProps) {
  const { tooLong, measure } = useLimit(maxLength, rest);
  const { labelled, control } = useField({ name, label, hint, wrong, tooLong });
  return labelled(
    <textarea
      rows={3}
      {...rest}
      {...control}
      className={`${styles.input} ${styles.area} ${code ? 'code' : ''}`}
      spellCheck={!code}
      onChange={({ target: { value } }) => {
        measure(value);
        onValue?.(value);
      }}
      onKeyDown={sendByEnter}
    />,
  );
}

/**
 * Notice of a text that is longer than its field takes. The browser's own limit is not used: it cuts what is typed or pasted
 * without a word.
 */
function useLimit(
  maxLength: number | undefined,
  { value, defaultValue = '' }: { readonly value?: string; readonly defaultValue?: string },
) {
  const [typed, measure] = useState(defaultValue);
  const { length } = value ?? typed;
  const isTooLong = maxLength !== undefined && length > maxLength;
  return { tooLong: isTooLong ? t('field.tooLong', { n: length, max: maxLength }) : undefined, measure };
}

function sendByEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const { key, ctrlKey, metaKey, currentTarget } = event;
  if (key !== 'Enter' || !(ctrlKey || metaKey || (currentTarget.required && currentTarget.value.trim() === ''))) return;
  event.preventDefault();
  currentTarget.form?.requestSubmit();
}

type SelectProps = Common & {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onValue?: (value: string) => void;
};

/** Choice of one option by the browser's own control, which works with every keyboard and phone. */
export function Select({ name, label, hint, wrong, options, onValue, ...rest }: SelectProps) {
  const { labelled, control } = useField({ name, label, hint, wrong });
  const change = onValue && ((event: ChangeEvent<HTMLSelectElement>) => onValue(event.target.value));
  return labelled(
    <select {...rest} {...control} className={styles.input} onChange={change}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>,
  );
}

type SegmentedControlProps<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string; readonly off?: boolean }[];
  readonly choose: (value: T) => void;
};

export function SegmentedControl<T extends string>({ label, value, options, choose }: SegmentedControlProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.segments}>
      <legend className="sr">{label}</legend>
      {options.map((option) => (
        <label key={option.value} aria-disabled={option.off || undefined}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            disabled={option.off}
            onChange={() => choose(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

type CheckboxProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onValue: (checked: boolean) => void;
};

export function Checkbox({ label, checked, onValue }: CheckboxProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onValue(event.target.checked)} />
      {label}
    </label>
  );
}

type FieldProps = Common & {
  /** Notice of a text that is too long; it replaces the server's refusal of an earlier one. */
  readonly tooLong?: string | undefined;
};

/** Attributes of a field's control, and the field around it: its label, and its hint or its error. */
function useField({ name, label, hint, wrong, tooLong }: FieldProps) {
  const id = useId();
  const refused = use(FieldProblems).find(({ field }) => field === name);
  const error = tooLong ?? (refused === undefined ? wrong : fieldMessage(refused));
  const described = hint === undefined && error === undefined ? undefined : `${id}-note`;
  const labelled = (control: ReactNode) => (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {control}
      {/* What is wrong takes the hint's line, which is always there: the form keeps its height. */}
      <p className={error === undefined ? styles.hint : styles.error} id={`${id}-note`}>
        {error ?? hint}
      </p>
    </div>
  );
  const invalid = error === undefined ? undefined : true;
  return { labelled, control: { id, name, 'aria-invalid': invalid, 'aria-describedby': described } };
}
