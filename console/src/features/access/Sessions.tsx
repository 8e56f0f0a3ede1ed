import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { RevokeSessionDocument, type SessionRowFragment, SessionsDocument } from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Sign-ins at the authority that still hold: one person's, or everybody's. */
export function Sessions({
  userId,
  after,
  go,
}: {
  readonly userId?: string;
  readonly after?: string | undefined;
  readonly go?: (after: string | undefined) => void;
}) {
  const [own, setOwn] = useState<string>();
  const at = go === undefined ? own : after;
  const answer = useLiveQuery(SessionsDocument, { userId: userId ?? null, after: at ?? null }, ['Session', 'User']);
  const [leaving, end] = useState<SessionRowFragment>();
  return (
    <Section title={t('sessions')}>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('sessions.fault')}>
        {({ sessions: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState>{t('sessions.none')}</EmptyState>
            ) : (
              <DataTable
                label={t('sessions')}
                columns={columns(userId === undefined, end)}
                rows={edges.map(({ node }) => node)}
                labelled
              />
            )}
            <Pager
              after={at}
              end={pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined}
              go={go ?? setOwn}
            />
          </>
        )}
      </QueryResult>
      {leaving !== undefined && <End session={leaving} close={() => end(undefined)} />}
    </Section>
  );
}

const columns = (isOfAll: boolean, end: (session: SessionRowFragment) => void): Column<SessionRowFragment>[] => [
  ...(isOfAll
    ? [
        {
          name: t('person'),
          cell: ({ user }: SessionRowFragment) => (
            <Link look="name" to="/access/people/$id" params={{ id: user.id }}>
              {user.displayName}
            </Link>
          ),
        },
      ]
    : []),
  { name: t('session.since'), cell: ({ signedInAt }) => <RelativeTime at={signedInAt} as="relative" /> },
  { name: t('session.methods'), cell: ({ methods }) => <span title={methods.join(' ')}>{waysOf(methods)}</span> },
  {
    name: t('session.from'),
    cell: ({ userAgent, address }) => (
      <span className="soft" title={userAgent ?? undefined}>
        {[browserOf(userAgent), address].filter(Boolean).join(' · ') || t('session.unknown')}
      </span>
    ),
  },
  { name: t('expires'), number: true, cell: ({ expiresAt }) => <RelativeTime at={expiresAt} as="relative" /> },
  {
    name: t('verbs'),
    hidden: true,
    number: true,
    cell: (session) => (
      <Button
        size="small"
        aria-label={t('session.end.of', { name: session.user.displayName })}
        onClick={() => end(session)}
      >
        {t('session.end')}
      </Button>
    ),
  },
];

/** Authentication methods (RFC 8176) as people say them; what says only how much was proved is left to the title. */
const WAYS = { pwd: 'password', otp: 'code', hwk: 'passkey', swk: 'passkey', fed: 'provider' } as const;

const isWay = (method: string): method is keyof typeof WAYS => Object.hasOwn(WAYS, method);

const waysOf = (methods: readonly string[]): string => {
  const ways = new Set(methods.filter(isWay).map((method) => t(`amr.${WAYS[method]}`)));
  return ways.size === 0 ? methods.join(' ') : new Intl.ListFormat(currentLocale()).format(ways);
};

/** The name in a User-Agent that people know; engines all call themselves Mozilla. */
const browserOf = (agent: string | null): string | undefined =>
  /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(agent ?? '')?.[0].replace('Edg/', 'Edge/') ?? agent?.slice(0, 40);

function End({ session: { id, user }, close }: { readonly session: SessionRowFragment; readonly close: () => void }) {
  const verb = useAction(RevokeSessionDocument);
  const client = useApolloClient();
  const run = async () => {
    if ((await verb.run({ id })) === undefined) return;
    toast(t('session.ended', { name: user.displayName }));
    close();
    await client.refetchQueries({ include: [SessionsDocument] });
  };
  return (
    <ConfirmDialog
      title={t('session.end.title', { name: user.displayName })}
      lead={t('session.end.lead')}
      verb={t('session.end.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}
