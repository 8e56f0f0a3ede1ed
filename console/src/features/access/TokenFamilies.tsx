import { useApolloClient } from '@apollo/client/react';
import { type ReactNode, useState } from 'react';
import { type FamilyRowFragment, RevokeFamilyDocument, TokenFamiliesDocument } from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** What came of sign-ins at clients: of a person, of a client, or of everybody. */
export function TokenFamilies({
  userId,
  clientId,
  live = true,
  after,
  go,
  side,
}: {
  readonly userId?: string;
  readonly clientId?: string;
  /** Only what still holds. */
  readonly live?: boolean;
  readonly after?: string | undefined;
  readonly go?: (after: string | undefined) => void;
  readonly side?: ReactNode;
}) {
  const [own, setOwn] = useState<string>();
  const at = go === undefined ? own : after;
  const variables = { userId: userId ?? null, clientId: clientId ?? null, live: live || null, after: at ?? null };
  const answer = useLiveQuery(TokenFamiliesDocument, variables, ['TokenFamily', 'User', 'Client']);
  const [leaving, revoke] = useState<FamilyRowFragment>();
  return (
    <Section title={t('families')} side={side}>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('families.fault')}>
        {({ tokenFamilies: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState>{t('families.none')}</EmptyState>
            ) : (
              <DataTable
                label={t('families')}
                columns={columns({ isOfOne: userId !== undefined }, revoke)}
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
      {leaving !== undefined && <Revoke family={leaving} close={() => revoke(undefined)} />}
    </Section>
  );
}

const columns = (
  { isOfOne }: { readonly isOfOne: boolean },
  revoke: (family: FamilyRowFragment) => void,
): Column<FamilyRowFragment>[] => [
  {
    name: t('family.client'),
    cell: ({ client, clientName }) =>
      client === null ? (
        clientName
      ) : (
        <Link look="name" to="/access/clients/$id" params={{ id: client.id }}>
          {clientName}
        </Link>
      ),
  },
  ...(isOfOne
    ? []
    : [
        {
          name: t('person'),
          cell: ({ user }: FamilyRowFragment) => (
            <Link look="name" to="/access/people/$id" params={{ id: user.id }}>
              {user.displayName}
            </Link>
          ),
        },
      ]),
  {
    // What the person's roles do not hold is in no token.
    name: t('family.asked'),
    cell: ({ scopes }) => (
      <span className="soft" title={scopes.join(' ')}>
        {t('scopes.n', { n: scopes.length })}
      </span>
    ),
  },
  { name: t('family.sender'), cell: ({ sender }) => t(`sender.${sender}`) },
  { name: t('session.since'), cell: ({ signedInAt }) => <RelativeTime at={signedInAt} as="relative" /> },
  {
    name: t('family.until'),
    cell: ({ revokedAt, expiresAt }) =>
      revokedAt === null ? (
        <RelativeTime at={expiresAt} as="relative" />
      ) : (
        <StateLabel shape="missing" tone="muted">
          {t('family.revoked')}
        </StateLabel>
      ),
  },
  {
    name: t('verbs'),
    hidden: true,
    number: true,
    cell: (family) =>
      family.revokedAt === null && (
        <Button
          size="small"
          aria-label={t('family.revoke.of', { name: family.clientName, who: family.user.displayName })}
          onClick={() => revoke(family)}
        >
          {t('family.revoke')}
        </Button>
      ),
  },
];

function Revoke({ family, close }: { readonly family: FamilyRowFragment; readonly close: () => void }) {
  const { id, clientName: name, user } = family;
  const verb = useAction(RevokeFamilyDocument);
  const client = useApolloClient();
  const run = async () => {
    if ((await verb.run({ id })) === undefined) return;
    toast(t('family.ended', { name }));
    close();
    await client.refetchQueries({ include: [TokenFamiliesDocument] });
  };
  return (
    <ConfirmDialog
      title={t('family.revoke.title', { name, who: user.displayName })}
      lead={t('family.revoke.lead')}
      verb={t('family.revoke.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}
