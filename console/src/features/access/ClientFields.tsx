import { use, useState } from 'react';
import { AccessVocabularyDocument, type ClientFactsFragment } from '../../generated/operations.ts';
import { FieldProblems, fieldMessage } from '../../lib/form-drafts.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Select, TextArea, TextField } from '../../ui/Form.tsx';
import { type ClientChoices, changedMethods, GRANTS, METHODS, RULES, SUBJECTS } from './client-input.ts';
import { field, t } from './labels.ts';
import { scopesByModule } from './roles.ts';

type Shared = {
  readonly client: ClientFactsFragment | undefined;
  readonly chosen: ClientChoices;
  readonly choose: (chosen: ClientChoices) => void;
};

/** Fields of a client's registration. A field that a choice makes meaningless is not shown. */
export function ClientFields(props: Shared) {
  const { client, chosen: selected, choose } = props;
  const { data } = useLiveQuery(AccessVocabularyDocument, {});
  const vocabulary = data?.accessVocabulary;
  const lines = (values: readonly string[] | undefined) => ({ defaultValue: values?.join('\n') ?? '', rows: 2 });
  return (
    <>
      <TextField {...field('name', 'client.name')} defaultValue={client?.name ?? ''} maxLength={64} autoFocus />
      <CheckboxGroup
        name="grants"
        legend={t('client.grants')}
        hint={selected.grants.includes('PASSWORD') ? t('client.grants.password') : undefined}
        options={GRANTS.map((value) => ({ value, label: t(`grant.${value}`) }))}
        chosen={selected.grants}
        choose={(grants) => choose({ ...selected, grants })}
      />
      {selected.grants.includes('AUTHORIZATION_CODE') && (
        <>
          <TextArea {...field('redirectUris', 'client.redirects')} {...lines(client?.redirectUris)} />
          <TextArea
            {...field('postLogoutRedirectUris', 'client.postLogoutRedirects')}
            {...lines(client?.postLogoutRedirectUris)}
          />
        </>
      )}
      <ScopeChoices {...props} scopes={vocabulary?.scopes ?? []} />
      <TextArea {...field('resources', 'client.resources')} {...lines(client?.resources)} />
      <Authentication {...props} />
      <TextArea {...field('allowedOrigins', 'client.origins')} {...lines(client?.allowedOrigins)} />
      <CheckboxGroup
        name="rules"
        legend={t('client.rules')}
        options={RULES.map((value) => ({ value, label: t(`rule.${value}`) }))}
        chosen={selected.rules}
        choose={(rules) => choose({ ...selected, rules })}
      />
      {/* Drawn once the plans are known: options that came later would lose the present choice. */}
      {vocabulary && <PlanChoice client={client} plans={vocabulary.plans} />}
    </>
  );
}

function PlanChoice({ client, plans }: Pick<Shared, 'client'> & { readonly plans: readonly string[] }) {
  const [first] = plans;
  const none = first === undefined ? t('client.plan.none') : t('client.plan.default', { name: first });
  return (
    <Select
      {...field('plan', 'client.plan')}
      defaultValue={client?.plan ?? ''}
      options={[{ value: '', label: none }, ...plans.map((value) => ({ value, label: value }))]}
    />
  );
}

/** Scopes under the module that checks them. What is refused of them is seen while they are folded, too. */
function ScopeChoices({ chosen: selected, choose, scopes }: Shared & { readonly scopes: readonly string[] }) {
  const modules = [...scopesByModule(scopes)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Open for a new client; folded by the user afterwards.
  const [isNew] = useState(selected.scopes.length === 0);
  const refused = use(FieldProblems).find((problem) => problem.field === 'scopes');
  return (
    <div>
      <details open={isNew}>
        <summary>{t('scopes.chosen', { n: selected.scopes.length })}</summary>
        <div className="stack" style={{ gap: 6 }}>
          {modules.map(([name, own]) => (
            <CheckboxGroup
              key={name}
              name={`scopes of ${name}`}
              legend={name === '' ? t('scopes.personal') : name}
              options={own.map((value) => ({ value, label: value }))}
              chosen={selected.scopes}
              choose={(next) => choose({ ...selected, scopes: next })}
            />
          ))}
        </div>
      </details>
      {refused !== undefined && <p className="small problem">{fieldMessage(refused)}</p>}
    </div>
  );
}

/** Methods by which the client authenticates, and what each needs. */
function Authentication({ client, chosen: selected, choose }: Shared) {
  const { authMethods } = selected;
  return (
    <>
      <CheckboxGroup
        name="authMethods"
        legend={t('client.methods')}
        hint={authMethods.includes('NONE') ? t('client.methods.none') : undefined}
        options={METHODS.map((value) => ({ value, label: t(`method.${value}`) }))}
        chosen={authMethods}
        choose={(methods) => choose({ ...selected, authMethods: changedMethods(authMethods, methods) })}
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
