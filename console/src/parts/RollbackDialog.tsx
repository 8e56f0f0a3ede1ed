import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  RollbackChoicesDocument,
  type RollbackChoicesQuery,
  RollbackEnvironmentDocument,
} from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { t } from '../lib/i18n.ts';
import { ComponentChanges } from '../ui/ComponentChanges.tsx';
import { Select } from '../ui/Form.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { RelativeTime } from '../ui/Time.tsx';
import { ReasonDialog } from './dialogs.tsx';

type Environment = NonNullable<RollbackChoicesQuery['environment']>;
type Choice = Environment['products'][number]['rollbackChoices'][number];

type RollbackDialogProps = {
  readonly deploymentId: string;
  readonly environmentId: string;
  readonly close: () => void;
};

/** Dialog that asks for the release to restore and a reason. Only what the product verified here is offered. */
export function RollbackDialog({ deploymentId, environmentId, close }: RollbackDialogProps) {
  const answer = useLiveQuery(RollbackChoicesDocument, { id: deploymentId, environmentId }, ['Deployment']);
  const navigate = useNavigate();
  const [selected, want] = useState<string>();
  const environment = answer.data?.environment ?? undefined;
  const product = answer.data?.deployment?.product;
  const productOnEnvironment = environment?.products.find((one) => one.product.id === product?.id);
  const choices = productOnEnvironment?.rollbackChoices ?? [];
  const selection = choices.find(({ id }) => id === selected) ?? choices[0];
  return (
    <ReasonDialog
      document={RollbackEnvironmentDocument}
      input={(reason) =>
        selection && product && { environmentId, productId: product.id, toDeploymentId: selection.id, reason }
      }
      onDone={({ rollbackEnvironment: { id } }) => navigate({ to: '/deployments/$id', params: { id } })}
      title={t('rollback.title', { what: product?.name ?? '', where: environment?.name ?? '' })}
      verb={t('rollback.verb')}
      wide
      off={selection === undefined}
      close={close}
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('rollback.fault')}>
        {() =>
          selection === undefined ? (
            <EmptyState>{t('rollback.none')}</EmptyState>
          ) : (
            <Choices choices={choices} now={answer.data?.deployment?.release} chosen={selection} want={want} />
          )
        }
      </QueryResult>
    </ReasonDialog>
  );
}

type ChoicesProps = {
  readonly choices: readonly Choice[];
  readonly now: Choice['release'] | undefined;
  readonly chosen: Choice;
  readonly want: (id: string) => void;
};

function Choices({ choices, now, chosen: selected, want }: ChoicesProps) {
  return (
    <div className="stack">
      <Select
        name="choice"
        label={t('rollback.choice')}
        hint={t('rollback.choice.hint')}
        value={selected.id}
        options={choices.map(({ id, release }) => ({ value: id, label: `${release.name} ${release.semver}` }))}
        onValue={want}
      />
      <p className="soft">
        {selected.completedAt !== null && (
          <>
            {t('rollback.landed')} <RelativeTime at={selected.completedAt} as="relative" />.{' '}
          </>
        )}
        {selected.variableSetVersion !== null && t('rollback.variables', { n: selected.variableSetVersion })}
      </p>
      <ComponentChanges title={t('rollback.changes')} now={now} next={selected.release} />
    </div>
  );
}
