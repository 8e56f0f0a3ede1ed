import { useState } from 'react';
import {
  CreateFlappingPolicyDocument,
  CreateInhibitionDocument,
  NotificationPoliciesDocument,
} from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import { MatcherFields } from './MatcherFields.tsx';
import { emptyMatcher, type MatcherRow, matcherInputs, ruleProblems } from './rule-draft.ts';

type Close = { readonly close: () => void };

const useMatchers = () => useState<readonly MatcherRow[]>(() => [emptyMatcher([])]);

/** Dialog by which events that fire keep others quiet. */
export function CreateInhibition({ close }: Close) {
  const [sources, changeSources] = useMatchers();
  const [targets, changeTargets] = useMatchers();
  return (
    <FormDialog
      document={CreateInhibitionDocument}
      problems={ruleProblems}
      input={({ text, list }) => ({
        name: text('name'),
        sourceMatchers: matcherInputs(sources),
        targetMatchers: matcherInputs(targets),
        equal: list('equal'),
      })}
      done={({ saved }) => t('silences.created.inhibition', { name: saved.name })}
      refetch={[NotificationPoliciesDocument]}
      title={t('silences.create.inhibition')}
      verb={t('silences.verb.inhibition')}
      wide
      close={close}
    >
      <p className="soft">{t('silences.createLead.inhibition')}</p>
      <TextField {...field('name', 'silence.name')} maxLength={100} autoFocus />
      <h3>{t('inhibition.sources')}</h3>
      <MatcherFields name="sourceMatchers" rows={sources} change={changeSources} />
      <h3>{t('inhibition.targets')}</h3>
      <MatcherFields name="targetMatchers" rows={targets} change={changeTargets} />
      <TextField {...field('equal', 'inhibition.equal')} />
    </FormDialog>
  );
}

/** Dialog by which a condition that begins and ends again and again is told once. */
export function CreateFlapping({ close }: Close) {
  const [rows, change] = useMatchers();
  return (
    <FormDialog
      document={CreateFlappingPolicyDocument}
      problems={ruleProblems}
      input={({ text, whole }) => ({
        name: text('name'),
        matchers: matcherInputs(rows),
        minChanges: whole('minChanges') ?? 0,
        windowSeconds: (whole('windowSeconds') ?? 0) * 60,
        quietSeconds: (whole('quietSeconds') ?? 0) * 60,
      })}
      done={({ saved }) => t('silences.created.flapping', { name: saved.name })}
      refetch={[NotificationPoliciesDocument]}
      title={t('silences.create.flapping')}
      verb={t('silences.verb.flapping')}
      wide
      close={close}
    >
      <p className="soft">{t('silences.createLead.flapping')}</p>
      <TextField {...field('name', 'silence.name')} maxLength={100} autoFocus />
      <MatcherFields rows={rows} change={change} />
      <TextField {...field('minChanges', 'flapping.minChanges')} defaultValue="4" inputMode="numeric" />
      <TextField {...field('windowSeconds', 'flapping.window')} defaultValue="60" inputMode="numeric" />
      <TextField {...field('quietSeconds', 'flapping.quiet')} defaultValue="30" inputMode="numeric" />
    </FormDialog>
  );
}
