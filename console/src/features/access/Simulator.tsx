import { getRouteApi } from '@tanstack/react-router';
import {
  AccessWordsDocument,
  RegistryPlansDocument,
  SimulateRegistryAccessDocument,
  type SimulateRegistryAccessInput,
  type SimulateRegistryAccessQuery,
} from '../../generated/operations.ts';
import { fieldsOf } from '../../lib/fields.ts';
import { useLive } from '../../lib/graph.ts';
import { Button } from '../../ui/Button.tsx';
import { Form, Select, TextField } from '../../ui/Form.tsx';
import { Mark } from '../../ui/Mark.tsx';
import { Section } from '../../ui/Section.tsx';
import { SkeletonRows, States } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from './words.ts';

const route = getRouteApi('/access/registry');

type Decision = SimulateRegistryAccessQuery['simulateRegistryAccess'];

/** May this caller push here, and why not: decided by the rule that issues. The question is in the address. */
export function Simulator() {
  const view = route.useSearch();
  const { scope, service, plan, license } = view;
  const navigate = route.useNavigate();
  const ask = (form: FormData) => {
    const { text } = fieldsOf(form);
    const given = (name: string) => text(name) || undefined;
    return navigate({
      search: {
        ...view,
        scope: given('scope'),
        service: given('service'),
        plan: given('plan'),
        license: given('license'),
      },
      resetScroll: false,
    });
  };
  return (
    <Section title={t('simulator')} bare>
      <div style={{ maxWidth: 560 }}>
        <Form submit={ask}>
          <p className="soft">{t('simulator.lead')}</p>
          <TextField
            name="scope"
            label={t('simulator.scope')}
            hint={t('simulator.scope.hint')}
            placeholder={t('simulator.scope.example')}
            defaultValue={scope ?? ''}
          />
          {/* What was asked without a plan or a licence is not asked with one by the next press. */}
          <Terms
            plan={scope === undefined ? plan : (plan ?? '')}
            license={scope === undefined ? license : (license ?? '')}
          />
          <TextField
            name="service"
            label={t('simulator.service')}
            hint={t('simulator.service.hint')}
            defaultValue={service ?? ''}
          />
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

interface TermsProps {
  readonly plan: string | undefined;
  readonly license: string | undefined;
}

/** What tokens of the reader's tenant say stands there at first; an empty name is a token that says nothing of it. */
function Terms({ plan: askedPlan, license }: TermsProps) {
  const plans = useLive(RegistryPlansDocument, {}).data?.registryPlans;
  const words = useLive(AccessWordsDocument, {}).data?.accessVocabulary;
  if (plans === undefined || words === undefined) return null;
  const plan = askedPlan ?? words.plans[0] ?? '';
  // A token may say a plan that the installation does not have: that is a question too.
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
      <TextField
        name="license"
        label={t('simulator.license')}
        hint={t('simulator.license.hint')}
        defaultValue={license ?? words.license ?? ''}
      />
    </>
  );
}

function Answer({ input }: { readonly input: SimulateRegistryAccessInput }) {
  const answer = useLive(SimulateRegistryAccessDocument, { input });
  return (
    <div role="status">
      <States of={answer} skeleton={<SkeletonRows rows={2} />} fault={t('simulator.fault')}>
        {({ simulateRegistryAccess: decision }) => <Decided decision={decision} />}
      </States>
    </div>
  );
}

function Decided({ decision: { allowed, status, error, reason, plan, scopes } }: { readonly decision: Decision }) {
  return (
    <div className="stack" style={{ paddingBlock: 16 }}>
      <p className="row">
        <AllowedMark allowed={allowed} />
        <span className="code quiet">{error === null ? status : `${status} ${error}`}</span>
      </p>
      <p>{reason}</p>
      <p className="small quiet">{plan === null ? t('simulator.undecided') : t('simulator.decided', { plan })}</p>
      {scopes.length > 0 && (
        <Table
          label={t('simulator.scopes')}
          list
          labelled
          head={[
            { name: t('simulator.asked') },
            { name: t('simulator.answer') },
            { name: t('simulator.covered') },
            { name: t('simulator.why') },
          ]}
        >
          {scopes.map((one) => (
            <tr key={one.scope}>
              <th scope="row" style={{ whiteSpace: 'normal' }}>
                <span className="code">{one.scope}</span>
              </th>
              <td data-label={t('simulator.answer')}>
                <AllowedMark allowed={one.allowed} />
              </td>
              <td data-label={t('simulator.covered')} className="breaks">
                {one.coveredBy === null ? t('none') : <span className="code">{one.coveredBy}</span>}
              </td>
              <td data-label={t('simulator.why')} className="soft breaks">
                {one.reason}
                {one.missing.length > 0 && <p>{t('simulator.missing', { actions: one.missing.join(', ') })}</p>}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}

const AllowedMark = ({ allowed }: { readonly allowed: boolean }) =>
  allowed ? (
    <Mark shape="verified" tone="good">
      {t('simulator.yes')}
    </Mark>
  ) : (
    <Mark shape="failed" tone="bad">
      {t('simulator.no')}
    </Mark>
  );
