import { useState } from 'react';
import { SaveTicketRulesDocument, type TicketRuleSetFragment, TicketRulesDocument } from '../generated/operations.ts';
import { listText } from '../lib/i18n.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button, IconButton } from '../ui/Button.tsx';
import { TextField } from '../ui/Form.tsx';
import { Icon } from '../ui/Icon.tsx';
import { FormDialog } from './dialogs.tsx';
import styles from './TicketRules.module.css';
import { MAX_MESSAGE, ticketsIn } from './ticket-example.ts';
import { field, t } from './ticket-labels.ts';

/** Place of the ticket in a link template. */
const KEY = '{key}';
/** Rules that a set may have. */
const MAX_RULES = 5;

/** Rule while it is written. */
interface Row {
  readonly key: number;
  readonly pattern: string;
  readonly linkTemplate: string;
}

const emptyRow = (rows: readonly Row[]): Row => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  pattern: '',
  linkTemplate: '',
});

const rowsOf = ({ rules }: TicketRuleSetFragment): readonly Row[] =>
  rules.length === 0 ? [emptyRow([])] : rules.map(({ pattern, linkTemplate }, key) => ({ key, pattern, linkTemplate }));

type EditTicketRulesProps = {
  readonly productId: string | undefined;
  /** Set as the server has it now. */
  readonly saved: TicketRuleSetFragment;
  readonly close: () => void;
};

/** Form of a whole set of rules, with the tickets that they find in a message. Rules left empty are not saved. */
export function EditTicketRules({ productId, saved, close }: EditTicketRulesProps) {
  // The set that the form was opened with, so that a change made meanwhile is a conflict.
  const [version, setVersion] = useState(saved.version);
  const [rows, write] = useState(() => rowsOf(saved));
  const [message, setMessage] = useState(t('tickets.try.text'));
  const useSaved = () => {
    setVersion(saved.version);
    write(rowsOf(saved));
  };
  const filledRows = rows.filter(({ pattern, linkTemplate }) => pattern.trim() !== '' || linkTemplate.trim() !== '');
  return (
    <FormDialog
      document={SaveTicketRulesDocument}
      input={({ wrong }) => {
        wrong.push(...missingIn(rows));
        const rules = filledRows.map(({ pattern, linkTemplate }) => ({
          pattern: pattern.trim(),
          linkTemplate: linkTemplate.trim(),
        }));
        return { ...(productId !== undefined && { productId }), expectedVersion: version, rules };
      }}
      problems={(problems) =>
        problems.map((problem) => ({ ...problem, field: rowField(problem.field, rows, filledRows) }))
      }
      done={t('tickets.saved')}
      refetch={[TicketRulesDocument]}
      title={t(productId === undefined ? 'tickets.edit.tenant' : 'tickets.edit.product')}
      verb={t('save')}
      wide
      keeps={false}
      close={close}
    >
      <p className="soft">{t(productId === undefined ? 'tickets.lead' : 'tickets.lead.product')}</p>
      {saved.version !== version && (
        <Banner
          tone="attention"
          title={t('tickets.changed')}
          verb={
            <Button size="small" onClick={useSaved}>
              {t('tickets.useSaved')}
            </Button>
          }
        />
      )}
      <RuleRows rows={rows} write={write} message={message} />
      <TextField {...field('message', 'tickets.try')} value={message} onValue={setMessage} maxLength={MAX_MESSAGE} />
    </FormDialog>
  );
}

/** Fields that were left empty in rules of which something was written. */
const missingIn = (rows: readonly Row[]) =>
  rows.flatMap(({ pattern, linkTemplate }, index) => {
    const isEmpty = (text: string) => text.trim() === '';
    if (isEmpty(pattern) === isEmpty(linkTemplate)) return [];
    const name = isEmpty(pattern) ? 'pattern' : 'linkTemplate';
    return [{ field: `rules.${index}.${name}`, message: '', code: 'VAL_REQUIRED_FIELD' }];
  });

/** Field of the form for a field of the input, from which empty rules were left out. */
const rowField = (name: string, rows: readonly Row[], filledRows: readonly Row[]): string =>
  name.replace(/^rules\.(\d+)/, (match, at) => {
    const row = filledRows[Number(at)];
    return row === undefined ? match : `rules.${rows.indexOf(row)}`;
  });

type RuleRowsProps = {
  readonly rows: readonly Row[];
  readonly write: (rows: readonly Row[]) => void;
  readonly message: string;
};

function RuleRows({ rows, write, message }: RuleRowsProps) {
  const set = (key: number, next: Partial<Row>) =>
    write(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  return (
    <>
      {rows.map(({ key, pattern, linkTemplate }, index) => (
        <fieldset key={key} className={styles.rule}>
          <legend className="sr">{t('tickets.rule', { n: index + 1 })}</legend>
          <TextField
            {...field(`rules.${index}.pattern`, 'tickets.pattern')}
            value={pattern}
            onValue={(next) => set(key, { pattern: next })}
            maxLength={200}
          />
          <TextField
            {...field(`rules.${index}.linkTemplate`, 'tickets.link')}
            hint={t('tickets.link.note', { key: KEY })}
            placeholder={`https://tickets.example.com/browse/${KEY}`}
            value={linkTemplate}
            onValue={(next) => set(key, { linkTemplate: next })}
            maxLength={500}
          />
          <IconButton
            label={t('tickets.remove', { n: index + 1 })}
            onClick={() => write(rows.filter((row) => row.key !== key))}
          >
            <Icon name="close" />
          </IconButton>
          {pattern !== '' && <p className={styles.found}>{foundText(message, pattern)}</p>}
        </fieldset>
      ))}
      {rows.length < MAX_RULES && (
        <div>
          <Button size="small" onClick={() => write([...rows, emptyRow(rows)])}>
            <Icon name="plus" size={14} />
            {t('tickets.add')}
          </Button>
        </div>
      )}
    </>
  );
}

function foundText(message: string, pattern: string): string {
  const keys = ticketsIn(message, pattern.trim());
  if (keys === undefined) return t('tickets.finds.unknown');
  return keys.length === 0 ? t('tickets.finds.none') : t('tickets.finds', { keys: listText(keys) });
}
