import { getRouteApi } from '@tanstack/react-router';
import {
  type RegistryTokenRowFragment,
  RegistryTokensDocument,
  type RegistryTokensQuery,
} from '../../generated/operations.ts';
import { filterChanges } from '../../lib/filter-changes.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { Button, Chip } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ChipGroup, Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/registry');

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
  const { change, clear } = filterChanges(
    { outcome, repository, subject, after },
    (next) =>
      void navigate({
        search: { ...view, outcome: undefined, repository: undefined, subject: undefined, after: undefined, ...next },
        resetScroll: false,
      }),
    {},
  );
  return (
    <Section title={t('tokens')} bare>
      <Filters clear={clear}>
        <TextFilter label={t('tokens.find')} value={repository} find={(words) => change({ repository: words })} />
        <ChipGroup
          value={outcome}
          options={['ISSUED', 'REFUSED']}
          label={(value) => t(`outcome.${value}`)}
          choose={(value) => change({ outcome: value })}
        />
        {subject !== undefined && (
          <Chip pressed onPress={() => change({ subject: undefined })}>
            {t('tokens.of', { subject: nameOf(subject, tokens.data) })}
          </Chip>
        )}
      </Filters>
      <ListResult
        of={tokens}
        rows={({ registryTokens }) => registryTokens}
        fault={t('tokens.fault')}
        empty={t(clear ? 'tokens.filtered' : 'tokens.never')}
        clear={clear}
        label={t('tokens')}
        columns={columns((of) => change({ subject: of }))}
        pages={{ after, go: (next) => change({ after: next }) }}
        labelled
      />
    </Section>
  );
}

const columns = (only: (subject: string) => void): Column<RegistryTokenRowFragment>[] => [
  { name: t('token.at'), cell: ({ at }) => <Time at={at} as="full" /> },
  { name: t('token.outcome'), cell: (token) => <Outcome token={token} /> },
  {
    name: t('token.asked'),
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
        <Asker token={token} />
        <Button size="small" weight="plain" onClick={() => only(token.subject)}>
          {t('token.only')}
        </Button>
      </span>
    ),
  },
  { name: t('plan'), cell: ({ plan }) => plan ?? t('none') },
  { name: t('family.sender'), cell: ({ sender }) => t(`sender.${sender ?? 'NONE'}`) },
  {
    name: t('trail'),
    cell: ({ correlationId }) => (
      <Link to="/audit" search={{ correlation: correlationId }}>
        {t('token.trail')}
      </Link>
    ),
  },
];

/** Name of a person from the list, once it is loaded. */
const nameOf = (subject: string, data: RegistryTokensQuery | undefined): string =>
  data?.registryTokens.edges.find(({ node }) => node.subject === subject)?.node.by.displayName ?? subject;

/** The subject of a request: a client for itself, or a person. */
function Asker({ token: { subject, clientId, by } }: { readonly token: RegistryTokenRowFragment }) {
  const to = subject === clientId ? '/access/clients/$id' : '/access/people/$id';
  return (
    <Link to={to} params={{ id: subject }} title={subject}>
      {by.displayName}
    </Link>
  );
}

function Outcome({ token: { outcome, error, reason } }: { readonly token: RegistryTokenRowFragment }) {
  if (outcome === 'ISSUED')
    return (
      <StateLabel shape="verified" tone="good">
        {t('outcome.ISSUED')}
      </StateLabel>
    );
  return (
    <div>
      <StateLabel shape="failed" tone="bad">
        {t('outcome.REFUSED')}
      </StateLabel>
      <p className="small quiet">{reason ?? error}</p>
    </div>
  );
}
