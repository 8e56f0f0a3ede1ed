import { getRouteApi } from '@tanstack/react-router';
import { ScorePoliciesDocument, type ScorePolicyRowFragment } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ScansLayout } from '../../parts/ScansLayout.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DetailToggle } from '../../ui/DetailToggle.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { PolicyDetail } from './PolicyDetail.tsx';
import { PublishPolicy } from './PublishPolicy.tsx';
import { comparePolicies, isChanged } from './policy-changes.ts';

const route = getRouteApi('/scans/policies');

/** Version of a policy, with the one before it where there is one. */
export type PolicyVersion = ScorePolicyRowFragment & {
  readonly key: string;
  readonly name: string;
  readonly isInForce: boolean;
  readonly before: { readonly name: string; readonly document: string } | undefined;
};

const nameOf = ({ id, version }: ScorePolicyRowFragment): string => t('policy.name', { id, version });

/** Versions as the graph lists them: the first is in force, and each is followed by the one before. */
const versionsOf = (policies: readonly ScorePolicyRowFragment[]): readonly PolicyVersion[] =>
  policies.map((policy, at) => {
    const before = policies[at + 1];
    return {
      ...policy,
      // A tenant may publish a policy under the name of the built-in one.
      key: `${policy.id}/${policy.version}/${policy.publishedAt ?? ''}`,
      name: nameOf(policy),
      isInForce: at === 0,
      before: before && { name: nameOf(before), document: before.document },
    };
  });

/** Page of the scoring policies, the newest version first; a row opens its comparison with the one before. */
export function PoliciesPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const policies = useLiveQuery(ScorePoliciesDocument, {}, ['ScorePolicy']);
  const inForce = policies.data?.scorePolicies[0];
  const canPublish = mayWriteScans() && inForce !== undefined;
  const publish = () => set({ ask: 'publish' });
  const toggle = (key: string) => set({ version: key === view.version ? undefined : key });
  return (
    <ScansLayout
      tab="policies"
      title={t('policies.title')}
      lead={t('policies.lead')}
      actions={
        canPublish
          ? [{ id: 'policy.publish', keys: 'c', title: t('policy.publish'), weight: 'primary', run: publish }]
          : []
      }
    >
      <ListResult
        label={t('policies.title')}
        of={policies}
        rows={({ scorePolicies }) => versionsOf(scorePolicies)}
        rowId={({ key }) => key}
        fault={t('policies.fault')}
        empty={t('policies.empty')}
        columns={columns(view.version, toggle)}
        open={toggle}
        detail={{ id: view.version, show: (row) => <PolicyDetail policy={row} /> }}
        labelled
      />
      {view.ask === 'publish' && canPublish && (
        <PublishPolicy inForce={inForce} close={() => set({ ask: undefined })} />
      )}
    </ScansLayout>
  );
}

const columns = (open: string | undefined, toggle: (key: string) => void): Column<PolicyVersion>[] => [
  {
    name: t('policy.policy'),
    className: 'breaks',
    cell: ({ key, name }) => (
      <DetailToggle id={key} isOpen={open === key} toggle={() => toggle(key)}>
        {name}
      </DetailToggle>
    ),
  },
  {
    name: t('policy.state'),
    cell: ({ isInForce }) => (
      <StateLabel look={isInForce ? 'verified' : 'signed-muted'}>
        {t(isInForce ? 'policy.state.IN_FORCE' : 'policy.state.EARLIER')}
      </StateLabel>
    ),
  },
  {
    name: t('policy.value.change'),
    className: 'soft',
    cell: ({ before, document }) =>
      before === undefined
        ? null
        : t('policy.changed', { n: comparePolicies(before.document, document).filter(isChanged).length }),
  },
  {
    name: t('policy.published'),
    number: true,
    cell: ({ publishedAt }) => optional(publishedAt, t('policies.builtIn'), (at) => <Time at={at} />),
  },
];
