import { use, useState } from 'react';
import { AccessWordsDocument, type ClientFactsFragment } from '../../generated/operations.ts';
import { FieldProblems, fieldMessage } from '../../lib/form-drafts.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Select, TextArea, TextField } from '../../ui/Form.tsx';
import { type ClientChoices, changedMethods, GRANTS, METHODS, RULES, SUBJECTS } from './client-input.ts';
import { t } from './labels.ts';
import { scopesByModule } from './roles.ts';

type Shared = {
  readonly client: ClientFactsFragment | undefined;
  readonly chosen: ClientChoices;
  readonly choose: (chosen: ClientChoices) => void;
};

/** Everything that is registered of a client. What a choice makes meaningless is not shown. */
export function ClientFields(props: Shared) {
  const { client, chosen, choose } = props;
  const { data } = useLiveQuery(AccessWordsDocument, {});
  const words = data?.accessVocabulary;
  const redirects = chosen.grants.includes('AUTHORIZATION_CODE');
  return (
    <>
      <TextField
        name="name"
        label={t('client.name')}
        hint={t('client.name.hint')}
        defaultValue={client?.name ?? ''}
        maxLength={64}
        autoFocus
      />
      <CheckboxGroup
        name="grants"
        legend={t('client.grants')}
        hint={chosen.grants.includes('PASSWORD') ? t('client.grants.password') : undefined}
        options={GRANTS.map((value) => ({ value, label: t(`grant.${value}`) }))}
        chosen={chosen.grants}
        choose={(grants) => choose({ ...chosen, grants })}
      />
      {redirects && <Redirects client={client} />}
      <ScopeChoices {...props} scopes={words?.scopes ?? []} />
      <TextArea
        name="resources"
        label={t('client.resources')}
        hint={t('client.resources.hint')}
        defaultValue={client?.resources.join('\n') ?? ''}
        rows={2}
      />
      <Authentication {...props} />
      <TextArea
        name="allowedOrigins"
        label={t('client.origins')}
        hint={t('client.origins.hint')}
        defaultValue={client?.allowedOrigins.join('\n') ?? ''}
        rows={2}
      />
      <CheckboxGroup
        name="rules"
        legend={t('client.rules')}
        options={RULES.map((value) => ({ value, label: t(`rule.${value}`) }))}
        chosen={chosen.rules}
        choose={(rules) => choose({ ...chosen, rules })}
      />
      <PlanChoice client={client} plans={words?.plans} />
    </>
  );
}

/** Drawn once the plans are known: a choice that came later would lose the one that holds. */
function PlanChoice({
  client,
  plans,
}: {
  readonly client: ClientFactsFragment | undefined;
  readonly plans: readonly string[] | undefined;
}) {
  if (plans === undefined) return null;
  const [first] = plans;
  return (
    <Select
      name="plan"
      label={t('client.plan')}
      hint={t('client.plan.hint')}
      defaultValue={client?.plan ?? ''}
      options={[
        { value: '', label: first === undefined ? t('client.plan.none') : t('client.plan.default', { name: first }) },
        ...plans.map((value) => ({ value, label: value })),
      ]}
    />
  );
}

function Redirects({ client }: { readonly client: ClientFactsFragment | undefined }) {
  return (
    <>
      <TextArea
        name="redirectUris"
        label={t('client.redirects')}
        hint={t('client.redirects.hint')}
        defaultValue={client?.redirectUris.join('\n') ?? ''}
        rows={2}
      />
      <TextArea
        name="postLogoutRedirectUris"
        label={t('client.farewells')}
        hint={t('client.farewells.hint')}
        defaultValue={client?.postLogoutRedirectUris.join('\n') ?? ''}
        rows={2}
      />
    </>
  );
}

/** Every scope, under the module that asks for it. What is refused of them is seen when they are folded too. */
function ScopeChoices({ chosen, choose, scopes }: Shared & { readonly scopes: readonly string[] }) {
  const modules = [...scopesByModule(scopes)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Open where there is still everything to choose; after that the reader folds it.
  const [isNew] = useState(chosen.scopes.length === 0);
  const refused = use(FieldProblems).find(({ field }) => field === 'scopes');
  return (
    <div>
      <details open={isNew}>
        <summary>{t('scopes.chosen', { n: chosen.scopes.length })}</summary>
        <div className="stack" style={{ gap: 6 }}>
          {modules.map(([name, own]) => (
            <CheckboxGroup
              key={name}
              name={`scopes of ${name}`}
              legend={name === '' ? t('scopes.personal') : name}
              options={own.map((value) => ({ value, label: value }))}
              chosen={chosen.scopes}
              choose={(next) => choose({ ...chosen, scopes: next })}
            />
          ))}
        </div>
      </details>
      {refused !== undefined && <p className="small problem">{fieldMessage(refused)}</p>}
    </div>
  );
}

/** How the client shows that it is itself. */
function Authentication({ client, chosen, choose }: Shared) {
  const { authMethods } = chosen;
  return (
    <>
      <CheckboxGroup
        name="authMethods"
        legend={t('client.methods')}
        hint={authMethods.includes('NONE') ? t('client.methods.none') : undefined}
        options={METHODS.map((value) => ({ value, label: t(`method.${value}`) }))}
        chosen={authMethods}
        choose={(methods) => choose({ ...chosen, authMethods: changedMethods(authMethods, methods) })}
      />
      {authMethods.includes('TLS_CLIENT_AUTH') && (
        <>
          <Select
            name="tlsSubject.kind"
            label={t('client.subject')}
            defaultValue={client?.tlsSubject?.kind ?? 'SAN_DNS'}
            options={SUBJECTS.map((value) => ({ value, label: t(`subject.${value}`) }))}
          />
          <TextField
            name="tlsSubject.value"
            label={t('client.subject.value')}
            hint={t('client.subject.hint')}
            defaultValue={client?.tlsSubject?.value ?? ''}
            maxLength={512}
          />
        </>
      )}
      {authMethods.includes('SELF_SIGNED_TLS_CLIENT_AUTH') && (
        <TextArea
          name="certificates"
          label={t('client.certificates')}
          hint={t(client === undefined ? 'client.certificates.hint' : 'client.certificates.kept')}
          rows={4}
        />
      )}
    </>
  );
}
