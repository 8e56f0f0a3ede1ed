import { getRouteApi } from '@tanstack/react-router';
import { PersonDocument, type PersonFactsFragment, type PersonQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { AdministratorOnly } from './AccessLayout.tsx';
import { PersonLabel } from './AccountState.tsx';
import { t } from './labels.ts';
import { type PersonAction, PersonDialog } from './PersonActions.tsx';
import { effectiveRoles } from './roles.ts';
import { Sessions } from './Sessions.tsx';
import { TokenFamilies } from './TokenFamilies.tsx';

const route = getRouteApi('/access/people/$id');

/** Page of a person: roles and their sources, sign-in methods, and sessions. */
export function PersonPage() {
  return (
    <AdministratorOnly>
      <PersonContent />
    </AdministratorOnly>
  );
}

function PersonContent() {
  const { id } = route.useParams();
  const answer = useLiveQuery(PersonDocument, { id }, ['Group']);
  return (
    <EntityPage of={answer} entity={({ user }) => user} fault={t('person.fault')} gone={t('person.notFound')}>
      {(user, { accessVocabulary }) => <Page person={user} known={accessVocabulary.roles} />}
    </EntityPage>
  );
}

type Known = PersonQuery['accessVocabulary']['roles'];

function Page({ person, known }: { readonly person: PersonFactsFragment; readonly known: Known }) {
  const { id, displayName, active } = person;
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { ask } = view;
  const actions: readonly PersonAction[] = active ? ['edit', 'reset', 'deactivate'] : ['edit', 'reactivate'];
  return (
    <>
      <PageHead
        crumbs={[
          { path: '/access', label: t('access.title') },
          { path: '/access', label: t('tab.people') },
        ]}
        title={displayName}
        state={<PersonLabel {...person} />}
        actions={actions.map((name) => ({
          id: `person.${name}`,
          title: t(`person.${name}`),
          ...(name === 'edit' && { keys: 'e' }),
          run: () => set({ ask: name }),
        }))}
      >
        {leadOf(person)}
      </PageHead>
      <AboutPerson person={person} />
      <EffectiveRoles person={person} known={known} />
      <Sessions userId={id} />
      <TokenFamilies userId={id} />
      {ask !== undefined && actions.includes(ask) && (
        <PersonDialog name={ask} person={person} close={() => set({ ask: undefined })} />
      )}
    </>
  );
}

function leadOf({ active, signIn }: PersonFactsFragment): string {
  if (!active) return t('person.lead.stopped');
  if (signIn?.pendingLink === true) return t(signIn.password ? 'person.lead.reset' : 'person.lead.invited');
  const canSignIn = signIn === null || signIn.password || signIn.passkeys > 0 || signIn.identityProviders.length > 0;
  return t(canSignIn ? 'person.lead' : 'person.lead.never');
}

function AboutPerson({ person }: { readonly person: PersonFactsFragment }) {
  const { id, username, email, createdAt, signIn } = person;
  const methods = [
    signIn?.password && t('signInMethod.password'),
    signIn?.totp && t('signInMethod.totp'),
    signIn !== null && signIn.passkeys > 0 && t('signInMethod.passkeys', { n: signIn.passkeys }),
    ...(signIn?.identityProviders ?? []),
  ].filter((route) => typeof route === 'string');
  return (
    <Section title={t('facts')}>
      <div className="stack" style={{ paddingBlock: 12 }}>
        <Facts look="page">
          <Fact label={t('person.username')} code={username} />
          <Fact label={t('person.email')}>{email ?? t('none')}</Fact>
          <Fact label={t('signInMethods')}>{methods.length === 0 ? t('signInMethods.none') : listText(methods)}</Fact>
          <Fact label={t('person.managedBy')}>
            {t(signIn?.provisioned === true ? 'source.directory' : 'source.here')}
          </Fact>
          <Fact label={t('created')} at={createdAt} />
          <Fact label={t('id')} code={id} />
          <Fact label={t('auditTrail')}>
            <Link to="/audit" search={{ actor: id }}>
              {t('auditTrail.actions')}
            </Link>{' '}
            ·{' '}
            <Link to="/audit" search={{ entity: 'User', id }}>
              {t('auditTrail.changes')}
            </Link>
          </Fact>
        </Facts>
      </div>
    </Section>
  );
}

/** Effective roles of a person: where each comes from, and its scopes. */
function EffectiveRoles({ person, known }: { readonly person: PersonFactsFragment; readonly known: Known }) {
  const roles = effectiveRoles(person);
  const idle = (person.groups ?? []).filter((group) => group.roles.length === 0);
  return (
    <TableSection
      title={t('assignedRoles')}
      empty={t('assignedRoles.none')}
      labelled
      rows={roles}
      rowId={({ role }) => role}
      columns={[
        { name: t('role'), cell: ({ role }) => role },
        {
          name: t('assignedRoles.source'),
          cell: ({ isDirect, by }) =>
            [
              ...(isDirect ? [t('assignedRoles.direct')] : []),
              ...by.map((name) => t('assignedRoles.group', { name })),
            ].join(', '),
        },
        {
          name: t('assignedRoles.scopes'),
          className: 'soft breaks',
          cell: ({ role }) => known.find((one) => one.role === role)?.scopes.join(' ') ?? t('none'),
        },
      ]}
    >
      {idle.length > 0 && (
        <p className="small quiet">
          {t('assignedRoles.groupsWithoutRole', { names: listText(idle.map((one) => one.displayName)) })}
        </p>
      )}
    </TableSection>
  );
}
