import { type ReactNode, useState } from 'react';
import { type FamilyRowFragment, RevokeFamilyDocument, TokenFamiliesDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { PersonLink } from '../../ui/EntityLink.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Token families of a person, of a client, or of the tenant: one for each sign-in at a client. */
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
  /** Only families that are still valid. */
  readonly live?: boolean;
  readonly after?: string | undefined;
  readonly go?: (after: string | undefined) => void;
  readonly side?: ReactNode;
}) {
  const [own, setOwn] = useState<string>();
  const at = go === undefined ? own : after;
  const variables = { userId: userId ?? null, clientId: clientId ?? null, live: live || null, after: at ?? null };
  const answer = useLiveQuery(TokenFamiliesDocument, variables, ['TokenFamily', 'User', 'Client']);
  const [revoked, revoke] = useState<FamilyRowFragment>();
  return (
    <Section title={t('families')} side={side}>
      <ListResult
        of={answer}
        rows={({ tokenFamilies }) => tokenFamilies}
        fault={t('families.fault')}
        empty={t('families.none')}
        skeleton={3}
        label={t('families')}
        columns={columns(userId === undefined, revoke)}
        pages={{ after: at, go: go ?? setOwn }}
        labelled
      />
      {revoked !== undefined && <Revoke family={revoked} close={() => revoke(undefined)} />}
    </Section>
  );
}

const personColumn = (): Column<FamilyRowFragment> => ({
  name: t('person'),
  cell: ({ user }) => <PersonLink person={user} />,
});

const columns = (
  withPerson: boolean,
  revoke: (family: FamilyRowFragment) => void,
): readonly Column<FamilyRowFragment>[] => [
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
  ...(withPerson ? [personColumn()] : []),
  {
    // No token carries a scope that no role of the person grants.
    name: t('family.asked'),
    className: 'soft',
    cell: ({ scopes }) => <span title={scopes.join(' ')}>{t('scopes.n', { n: scopes.length })}</span>,
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
        <RowButton
          label={t('family.revoke.of', { name: family.clientName, who: family.user.displayName })}
          press={() => revoke(family)}
        >
          {t('family.revoke')}
        </RowButton>
      ),
  },
];

function Revoke({ family, close }: { readonly family: FamilyRowFragment; readonly close: () => void }) {
  const { id, clientName: name, user } = family;
  return (
    <ConfirmAction
      document={RevokeFamilyDocument}
      input={{ id }}
      title={t('family.revoke.title', { name, who: user.displayName })}
      lead={t('family.revoke.lead')}
      verb={t('family.revoke.verb')}
      done={t('family.ended', { name })}
      refetch={[TokenFamiliesDocument]}
      close={close}
    />
  );
}
