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
  const [wanted, want] = useState<string>();
  const environment = answer.data?.environment ?? undefined;
  const product = answer.data?.deployment?.product;
  const place = environment?.products.find((one) => one.product.id === product?.id);
  const choices = place?.rollbackChoices ?? [];
  const chosen = choices.find(({ id }) => id === wanted) ?? choices[0];
  return (
    <ReasonDialog
      document={RollbackEnvironmentDocument}
      input={(reason) =>
        chosen && product && { environmentId, productId: product.id, toDeploymentId: chosen.id, reason }
      }
      onDone={({ rollbackEnvironment: { id } }) => navigate({ to: '/deployments/$id', params: { id } })}
      title={t('rollback.title', { what: product?.name ?? '', where: environment?.name ?? '' })}
      verb={t('rollback.verb')}
      wide
      off={chosen === undefined}
      close={close}
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('rollback.fault')}>
        {() =>
          chosen === undefined ? (
            <EmptyState>{t('rollback.none')}</EmptyState>
          ) : (
            <Choices choices={choices} now={answer.data?.deployment?.release} chosen={chosen} want={want} />
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

function Choices({ choices, now, chosen, want }: ChoicesProps) {
  return (
    <div className="stack">
      <Select
        name="choice"
        label={t('rollback.choice')}
        hint={t('rollback.choice.hint')}
        value={chosen.id}
        options={choices.map(({ id, release }) => ({ value: id, label: `${release.name} ${release.semver}` }))}
        onValue={want}
      />
      <p className="soft">
        {chosen.completedAt !== null && (
          <>
            {t('rollback.landed')} <RelativeTime at={chosen.completedAt} as="relative" />.{' '}
          </>
        )}
        {chosen.variableSetVersion !== null && t('rollback.variables', { n: chosen.variableSetVersion })}
      </p>
      <ComponentChanges title={t('rollback.changes')} now={now} next={chosen.release} />
    </div>
  );
}
