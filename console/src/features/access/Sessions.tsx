import { RevokeSessionDocument, type SessionRowFragment, SessionsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { type ListView, useOwnView } from '../../lib/url-state.ts';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { PersonLink } from '../../ui/EntityLink.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type SessionsProps = { readonly userId?: string; readonly list?: ListView };

/** Active sign-ins at the authority: of one person, or of the tenant. */
export function Sessions({ userId, list }: SessionsProps) {
  const own = useOwnView();
  const { view } = list ?? own;
  const answer = useLiveQuery(SessionsDocument, { userId: userId ?? null, after: view.after ?? null }, [
    'Session',
    'User',
  ]);
  return (
    <ListSection
      title={t('sessions')}
      of={answer}
      rows={({ sessions }) => sessions}
      fault={t('sessions.fault')}
      empty={t('sessions.none')}
      skeleton={3}
      columns={columns(userId === undefined)}
      list={list ?? own}
      labelled
    />
  );
}

const personColumn = (): Column<SessionRowFragment> => ({
  name: t('person'),
  cell: ({ user }) => <PersonLink person={user} />,
});

const columns = (withPerson: boolean): readonly Column<SessionRowFragment>[] => [
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
  actionsColumn(({ id, user: { displayName: name } }) => (
    <RowAction
      label={t('session.end.of', { name })}
      document={RevokeSessionDocument}
      input={{ id }}
      title={t('session.end.title', { name })}
      lead={t('session.end.lead')}
      verb={t('session.end.verb')}
      done={t('session.ended', { name })}
      refetch={[SessionsDocument]}
    >
      {t('session.end')}
    </RowAction>
  )),
];

/** Authentication methods (RFC 8176) in plain text; assurance levels are left to the title. */
const METHOD_NAMES = { pwd: 'password', otp: 'code', hwk: 'passkey', swk: 'passkey', fed: 'provider' } as const;

const isNamed = (method: string): method is keyof typeof METHOD_NAMES => Object.hasOwn(METHOD_NAMES, method);

const methodNames = (methods: readonly string[]): string => {
  const names = new Set(methods.filter(isNamed).map((method) => t(`authenticationMethod.${METHOD_NAMES[method]}`)));
  return names.size === 0 ? methods.join(' ') : listText(names);
};

/** Browser name in a User-Agent header, ignoring the generic Mozilla token. */
const browserOf = (agent: string | null): string | undefined =>
  /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(agent ?? '')?.[0].replace('Edg/', 'Edge/') ?? agent?.slice(0, 40);
