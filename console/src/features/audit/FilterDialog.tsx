import { useState } from 'react';
import { readFields } from '../../lib/form-fields.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import type { Search } from '../../lib/url-state.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { inputOf, instantOf } from './event-data.ts';
import { t } from './labels.ts';

export type AuditView = Search<{
  type: string;
  after: string;
  entity: string;
  id: string;
  actor: string;
  from: string;
  to: string;
  correlation: string;
}>;

const TEXTS = ['entity', 'id', 'actor', 'correlation'] as const;

type FilterDialogProps = {
  readonly view: AuditView;
  readonly change: (next: AuditView) => void;
  readonly close: () => void;
};

/** All filters of the audit trail. The two instants are UTC, as in the log. */
export function FilterDialog({ view, change, close }: FilterDialogProps) {
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const submit = (data: FormData) => {
    const { text } = readFields(data);
    const [from, to] = [instantOf(text('from')), instantOf(text('to'))];
    if (from !== undefined && to !== undefined && from >= to)
      return setWrong([{ field: 'to', message: t('audit.invalidRange'), code: '' }]);
    const [entity, id, actor, correlation] = TEXTS.map((name) => text(name) || undefined);
    change({ entity, id, actor, correlation, from, to });
    close();
  };
  return (
    <Dialog title={t('audit.filters')} close={close} light>
      <Form problems={wrong} keeps={false} submit={submit}>
        {TEXTS.map((name, index) => (
          <TextField
            key={name}
            name={name}
            label={t(`audit.by.${name}`)}
            hint={t(`audit.by.${name}.hint`)}
            defaultValue={view[name] ?? ''}
            autoFocus={index === 0}
          />
        ))}
        {(['from', 'to'] as const).map((name) => (
          <TextField
            key={name}
            name={name}
            label={t(`audit.by.${name}`)}
            type="datetime-local"
            defaultValue={inputOf(view[name])}
          />
        ))}
        <FormFooter state={{ busy: false, problem: undefined }} verb={t('audit.filters.apply')} close={close} />
      </Form>
    </Dialog>
  );
}
