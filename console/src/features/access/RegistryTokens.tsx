import { getRouteApi } from '@tanstack/react-router';
import {
  type RegistryTokenRowFragment,
  RegistryTokensDocument,
  type RegistryTokensQuery,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { filterChanges } from '../../lib/url-state.ts';
import { Button, Chip } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ChipGroup, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/registry');

const NO_FILTERS = { outcome: undefined, repository: undefined, subject: undefined, after: undefined };

/** Requests to the registry token service, and their outcomes. */
export function RegistryTokens() {
  const view = route.useSearch();
  const { outcome, repository, subject, after } = view;
  const navigate = route.useNavigate();
  const variables = {
    outcome: outcome ?? null,
    repository: repository ?? null,
    subject: subject ?? null,
    after: after ?? null,
  };
  const tokens = useLiveQuery(RegistryTokensDocument, variables, ['RegistryToken']);
  const list = filterChanges(
    { outcome, repository, subject, after },
    (change) =>
      void navigate({ search: (current) => ({ ...current, ...NO_FILTERS, ...change(current) }), resetScroll: false }),
  );
  return (
    <ListSection
      title={t('tokens')}
      bare
      list={{ ...list, view }}
      filters={
        <>
          <TextFilter
            label={t('tokens.find')}
            value={repository}
            find={(repositories) => list.filterBy({ repository: repositories })}
          />
          <ChipGroup
            value={outcome}
            options={['ISSUED', 'REFUSED']}
            label={(value) => t(`outcome.${value}`)}
            choose={(value) => list.filterBy({ outcome: value })}
          />
          {subject !== undefined && (
            <Chip pressed onPress={() => list.filterBy({ subject: undefined })}>
              {t('tokens.of', { subject: nameOf(subject, tokens.data) })}
            </Chip>
          )}
        </>
      }
      of={tokens}
      rows={({ registryTokens }) => registryTokens}
      fault={t('tokens.fault')}
      empty={t(list.clear ? 'tokens.noMatch' : 'tokens.empty')}
      columns={columns((of) => list.filterBy({ subject: of }))}
      labelled
    />
  );
}

const columns = (only: (subject: string) => void): Column<RegistryTokenRowFragment>[] => [
  { name: t('token.time'), cell: ({ at }) => <Time at={at} as="full" /> },
  { name: t('token.outcome'), cell: (token) => <Outcome token={token} /> },
  {
    name: t('token.requestedScope'),
    cell: ({ scopes, service }) => (
      <div>
        {scopes.length === 0
          ? t('token.login')
          : scopes.map((scope) => (
              <p key={scope} className="code">
                {scope}
              </p>
            ))}
        {service !== null && <p className="small quiet">{service}</p>}
      </div>
    ),
  },
  {
    name: t('token.subject'),
    cell: (token) => (
      <span className="row">
        <RequestSender token={token} />
        <Button size="small" weight="plain" onClick={() => only(token.subject)}>
          {t('token.only')}
        </Button>
      </span>
    ),
  },
  { name: t('plan'), cell: ({ plan }) => plan ?? t('none') },
  { name: t('family.sender'), cell: ({ sender }) => t(`tokenBinding.${sender ?? 'NONE'}`) },
  {
    name: t('auditTrail'),
    cell: ({ correlationId }) => (
      <Link to="/audit" search={{ correlation: correlationId }}>
        {t('token.request')}
      </Link>
    ),
  },
];

const nameOf = (subject: string, data: RegistryTokensQuery | undefined): string =>
  data?.registryTokens.edges.find(({ node }) => node.subject === subject)?.node.by.displayName ?? subject;

/** Subject of a request: a client for itself, or a person. */
function RequestSender({ token: { subject, clientId, by } }: { readonly token: RegistryTokenRowFragment }) {
  const to = subject === clientId ? '/access/clients/$id' : '/access/people/$id';
  return (
    <Link to={to} params={{ id: subject }} title={subject}>
      {by.displayName}
    </Link>
  );
}

function Outcome({ token: { outcome, error, reason } }: { readonly token: RegistryTokenRowFragment }) {
  if (outcome === 'ISSUED') return <StateLabel look="verified">{t('outcome.ISSUED')}</StateLabel>;
  return (
    <div>
      <StateLabel look="failed">{t('outcome.REFUSED')}</StateLabel>
      <p className="small quiet">{reason ?? error}</p>
    </div>
  );
}
