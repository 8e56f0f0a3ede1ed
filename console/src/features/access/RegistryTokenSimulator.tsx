import { getRouteApi } from '@tanstack/react-router';
import {
  AccessVocabularyDocument,
  RegistryPlansDocument,
  SimulateRegistryAccessDocument,
  type SimulateRegistryAccessInput,
  type SimulateRegistryAccessQuery,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Button } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Form, Select, TextField } from '../../ui/Form.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { field, t } from './labels.ts';

const route = getRouteApi('/access/registry');

type Decision = SimulateRegistryAccessQuery['simulateRegistryAccess'];

/** Simulation of a registry token request, decided by the rule that issues tokens. The request is in the address. */
export function RegistryTokenSimulator() {
  const view = route.useSearch();
  const { scope, service, plan, license } = view;
  const navigate = route.useNavigate();
  const ask = (form: FormData) => {
    const { text } = readFields(form);
    const input = (name: string) => text(name) || undefined;
    return navigate({
      search: {
        ...view,
        scope: input('scope'),
        service: input('service'),
        plan: input('plan'),
        license: input('license'),
      },
      resetScroll: false,
    });
  };
  return (
    <Section title={t('simulator.title')} bare>
      <div style={{ maxWidth: 560 }}>
        <Form submit={ask}>
          <p className="soft">{t('simulator.lead')}</p>
          <TextField {...field('scope', 'simulator.scope')} defaultValue={scope ?? ''} />
          {/* What was asked without a plan or a licence is not asked with one by the next press. */}
          <Terms
            plan={scope === undefined ? plan : (plan ?? '')}
            license={scope === undefined ? license : (license ?? '')}
          />
          <TextField {...field('service', 'simulator.service')} defaultValue={service ?? ''} />
          <p>
            <Button type="submit" weight="primary">
              {t('simulator.verb')}
            </Button>
          </p>
        </Form>
      </div>
      {scope !== undefined && (
        <Answer
          key={[scope, service, plan, license].join('\n')}
          input={{
            scope,
            ...(service !== undefined && { service }),
            ...(plan !== undefined && { plan }),
            ...(license !== undefined && { license }),
          }}
        />
      )}
    </Section>
  );
}

type TermsProps = { readonly plan: string | undefined; readonly license: string | undefined };

/**
 * Plan and licence of the simulated token: at first those of the reader's tenant; an empty name leaves the claim out.
 */
function Terms({ plan: selectedPlan, license }: TermsProps) {
  const plans = useLiveQuery(RegistryPlansDocument, {}).data?.registryPlans;
  const repositories = useLiveQuery(AccessVocabularyDocument, {}).data?.accessVocabulary;
  if (plans === undefined || repositories === undefined) return null;
  const plan = selectedPlan ?? repositories.plans[0] ?? '';
  // A token may carry a plan that the installation does not define; that can be simulated too.
  const names = new Set(['', ...plans.map(({ name }) => name), plan]);
  return (
    <>
      <Select
        name="plan"
        label={t('plan')}
        hint={t('simulator.plan.hint')}
        defaultValue={plan}
        options={[...names].map((name) => ({ value: name, label: name === '' ? t('simulator.plan.none') : name }))}
      />
      <TextField {...field('license', 'simulator.license')} defaultValue={license ?? repositories.license ?? ''} />
    </>
  );
}

function Answer({ input }: { readonly input: SimulateRegistryAccessInput }) {
  const answer = useLiveQuery(SimulateRegistryAccessDocument, { input });
  return (
    <div role="status">
      <QueryResult of={answer} skeleton={<SkeletonRows rows={2} />} fault={t('simulator.fault')}>
        {({ simulateRegistryAccess: decision }) => <Decided decision={decision} />}
      </QueryResult>
    </div>
  );
}

function Decided({ decision: { allowed, status, error, reason, plan, scopes } }: { readonly decision: Decision }) {
  return (
    <div className="stack" style={{ paddingBlock: 16 }}>
      <p className="row">
        <AllowedLabel allowed={allowed} />
        <span className="code quiet">{error === null ? status : `${status} ${error}`}</span>
      </p>
      <p>{reason}</p>
      <p className="small quiet">{plan === null ? t('simulator.undecided') : t('simulator.decided', { plan })}</p>
      {scopes.length > 0 && (
        <DataTable
          label={t('simulator.scopes')}
          labelled
          rows={scopes}
          rowId={({ scope }) => scope}
          columns={[
            {
              name: t('simulator.requestedScope'),
              className: 'breaks',
              cell: ({ scope }) => <span className="code">{scope}</span>,
            },
            { name: t('simulator.answer'), cell: (one) => <AllowedLabel allowed={one.allowed} /> },
            {
              name: t('simulator.covered'),
              className: 'breaks',
              cell: ({ coveredBy }) => (coveredBy === null ? t('none') : <span className="code">{coveredBy}</span>),
            },
            {
              name: t('simulator.why'),
              className: 'soft breaks',
              cell: (one) => (
                <>
                  {one.reason}
                  {one.missing.length > 0 && <p>{t('simulator.missing', { actions: one.missing.join(', ') })}</p>}
                </>
              ),
            },
          ]}
        />
      )}
    </div>
  );
}

const AllowedLabel = ({ allowed }: { readonly allowed: boolean }) =>
  allowed ? (
    <StateLabel look="verified">{t('simulator.yes')}</StateLabel>
  ) : (
    <StateLabel look="failed">{t('simulator.no')}</StateLabel>
  );
