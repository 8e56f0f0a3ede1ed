import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type EnvironmentPolicyFragment, RemoveEnvironmentDocument } from '../../generated/operations.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { TargetLink } from '../../ui/EntityLink.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { type EnvironmentUses, type Named, usesIn } from './environment-uses.ts';
import { t } from './labels.ts';

type RemoveEnvironmentProps = { readonly environment: EnvironmentPolicyFragment; readonly close: () => void };

/** Removes an environment that nothing uses. A refusal shows where it is used. */
export function RemoveEnvironment({ environment: { id, name, version }, close }: RemoveEnvironmentProps) {
  const navigate = useNavigate();
  return (
    <ConfirmAction
      document={RemoveEnvironmentDocument}
      input={{ id, expectedVersion: version }}
      title={t('environment.remove.title', { name })}
      lead={t('environment.remove.lead')}
      verb={t('environment.remove.verb')}
      done={t('environment.removed', { name })}
      onDone={() => navigate({ to: '/environments' })}
      advice={(problem) => {
        const uses = usesIn(problem);
        return uses && <Uses environmentId={id} uses={uses} />;
      }}
      close={close}
    />
  );
}

type UsesProps = { readonly environmentId: string; readonly uses: EnvironmentUses };

const Uses = ({ environmentId, uses: { targets, products, promotions } }: UsesProps) => (
  <section aria-label={t('environment.uses')}>
    <Facts look="pairs">
      <Use label={t('environment.uses.targets')} of={targets}>
        {(target) => <TargetLink target={target} environmentId={environmentId} />}
      </Use>
      <Use label={t('environment.uses.products')} of={products}>
        {({ id, name }) => (
          <Link look="name" to="/products/$id" params={{ id }}>
            {name}
          </Link>
        )}
      </Use>
      <Use label={t('environment.uses.promotions')} of={promotions}>
        {({ id, name }) => (
          <Link look="name" to="/inbox" search={{ item: id }}>
            {name}
          </Link>
        )}
      </Use>
    </Facts>
  </section>
);

type UseProps = {
  readonly label: string;
  readonly of: readonly Named[];
  readonly children: (use: Named) => ReactNode;
};

function Use({ label, of, children }: UseProps) {
  if (of.length === 0) return null;
  return (
    <Fact label={label}>
      <ul>
        {of.map((use) => (
          <li key={use.id}>{children(use)}</li>
        ))}
      </ul>
    </Fact>
  );
}
