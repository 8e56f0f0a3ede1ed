import { useState } from 'react';
import { RevokeSessionDocument, type SessionRowFragment, SessionsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { PersonLink } from '../../ui/EntityLink.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Active sign-ins at the authority: of one person, or of the tenant. */
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
  const [ended, end] = useState<SessionRowFragment>();
  return (
    <Section title={t('sessions')}>
      <ListResult
        of={answer}
        rows={({ sessions }) => sessions}
        fault={t('sessions.fault')}
        empty={t('sessions.none')}
        skeleton={3}
        label={t('sessions')}
        columns={columns(userId === undefined, end)}
        pages={{ after: at, go: go ?? setOwn }}
        labelled
      />
      {ended !== undefined && <End session={ended} close={() => end(undefined)} />}
    </Section>
  );
}

const personColumn = (): Column<SessionRowFragment> => ({
  name: t('person'),
  cell: ({ user }) => <PersonLink person={user} />,
});

const columns = (
  withPerson: boolean,
  end: (session: SessionRowFragment) => void,
): readonly Column<SessionRowFragment>[] => [
  ...(withPerson ? [personColumn()] : []),
  { name: t('session.since'), cell: ({ signedInAt }) => <RelativeTime at={signedInAt} as="relative" /> },
  { name: t('session.methods'), cell: ({ methods }) => <span title={methods.join(' ')}>{methodNames(methods)}</span> },
  {
    name: t('session.from'),
    className: 'soft',
    cell: ({ userAgent, address }) => (
      <span title={userAgent ?? undefined}>
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
      <RowButton label={t('session.end.of', { name: session.user.displayName })} press={() => end(session)}>
        {t('session.end')}
      </RowButton>
    ),
  },
];

/** Authentication methods (RFC 8176) in plain text; assurance levels are left to the title. */
const METHOD_NAMES = { pwd: 'password', otp: 'code', hwk: 'passkey', swk: 'passkey', fed: 'provider' } as const;

const isNamed = (method: string): method is keyof typeof METHOD_NAMES => Object.hasOwn(METHOD_NAMES, method);

const methodNames = (methods: readonly string[]): string => {
  const names = new Set(methods.filter(isNamed).map((method) => t(`amr.${METHOD_NAMES[method]}`)));
  return names.size === 0 ? methods.join(' ') : new Intl.ListFormat(currentLocale()).format(names);
};

/** The name in a User-Agent that people know; engines all call themselves Mozilla. */
const browserOf = (agent: string | null): string | undefined =>
  /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(agent ?? '')?.[0].replace('Edg/', 'Edge/') ?? agent?.slice(0, 40);

function End({ session: { id, user }, close }: { readonly session: SessionRowFragment; readonly close: () => void }) {
  const name = user.displayName;
  return (
    <ConfirmAction
      document={RevokeSessionDocument}
      input={{ id }}
      title={t('session.end.title', { name })}
      lead={t('session.end.lead')}
      verb={t('session.end.verb')}
      done={t('session.ended', { name })}
      refetch={[SessionsDocument]}
      close={close}
    />
  );
}
