import { useState } from 'react';
import {
  CreateMaintenanceDocument,
  CreateSilenceDocument,
  type NotificationMatcherInput,
  NotificationPoliciesDocument,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Select, TextArea, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import { MatcherFields } from './MatcherFields.tsx';
import { emptyMatcher, type MatcherRow, matcherInputs, matcherRows, ruleProblems } from './rule-draft.ts';

type Close = { readonly close: () => void };

/** Lengths of a silence in hours. */
const HOURS = [1, 4, 8, 24, 72, 168] as const;

type CreateSilenceProps = Close & {
  readonly kind: 'silence' | 'maintenance';
  readonly name?: string;
  readonly matchers?: readonly NotificationMatcherInput[];
};

/** Dialog that silences events, or plans work: nobody is told of those that match until it ends. */
export function CreateSilence({ kind, name = '', matchers, close }: CreateSilenceProps) {
  const [rows, change] = useState<readonly MatcherRow[]>(() =>
    matchers === undefined ? [emptyMatcher([])] : matcherRows(matchers),
  );
  const window = (fields: FormFields) => {
    const typed = fields.text('startsAt');
    // As in the audit trail, the instant is typed in UTC.
    const start = typed === '' ? new Date() : new Date(`${typed}Z`);
    const end = new Date(start.getTime() + Number(fields.text('hours')) * 3_600_000);
    const times = { startsAt: start.toISOString(), endsAt: end.toISOString() };
    return { name: fields.text('name'), matchers: matcherInputs(rows), ...times };
  };
  const shared = {
    problems: ruleProblems,
    done: ({ saved }: { readonly saved: { readonly name: string } }) =>
      t(`silences.created.${kind}`, { name: saved.name }),
    refetch: [NotificationPoliciesDocument],
    title: t(`silences.create.${kind}`),
    verb: t(`silences.verb.${kind}`),
    wide: true,
    close,
  };
  const fields = (
    <>
      <p className="soft">{t(`silences.createLead.${kind}`)}</p>
      <TextField {...field('name', 'silence.name')} defaultValue={name} maxLength={100} autoFocus />
      <MatcherFields rows={rows} change={change} />
      {kind === 'maintenance' && <TextField {...field('startsAt', 'maintenance.startsAt')} type="datetime-local" />}
      <Select
        name="hours"
        label={t('silence.length')}
        defaultValue={kind === 'silence' ? '4' : '1'}
        options={HOURS.map((hours) => ({ value: String(hours), label: t('silence.hours', { n: hours }) }))}
      />
    </>
  );
  if (kind === 'maintenance')
    return (
      <FormDialog {...shared} document={CreateMaintenanceDocument} input={window}>
        {fields}
      </FormDialog>
    );
  return (
    <FormDialog
      {...shared}
      document={CreateSilenceDocument}
      input={(values) => {
        values.need('reason');
        return { ...window(values), reason: values.text('reason') };
      }}
    >
      {fields}
      <TextArea name="reason" label={t('reason')} hint={t('silence.reason.hint')} maxLength={500} rows={2} />
    </FormDialog>
  );
}
