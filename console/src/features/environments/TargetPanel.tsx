import { useState } from 'react';
import { type TargetDetailFragment, TargetDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { formatLabels } from '../../lib/label-text.ts';
import { Digest } from '../../ui/Digest.tsx';
import { TargetLabel } from '../../ui/EntityStates.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { Panel, PanelPart } from '../../ui/Panel.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { VariableValue } from '../../ui/VariableRows.tsx';
import { t } from './labels.ts';
import { TargetActions } from './TargetActions.tsx';
import { AssignAgent, RemoveTarget } from './TargetDialogs.tsx';
import { EditTarget, targetVariables } from './TargetForm.tsx';
import styles from './Targets.module.css';
import { AssignedAgent, HealthText } from './Targets.tsx';

export type TargetDialog = 'edit' | 'assign' | 'remove';

/** Panel of a target: its state, the observed digests, its driver's parameters and its actions. */
export function TargetPanel({ id, close }: { readonly id: string; readonly close: () => void }) {
  const answer = useLiveQuery(TargetDocument, { id }, ['Agent', 'Deployment']);
  const [dialog, ask] = useState<TargetDialog>();
  const target = answer.data?.target ?? undefined;
  const finished = () => ask(undefined);
  return (
    <>
      <Panel title={target?.name ?? t('targets.title')} subject={id} close={close}>
        <QueryResult of={answer} skeleton={<SkeletonRows rows={9} />} fault={t('panel.fault')}>
          {() =>
            target === undefined ? (
              <EmptyState>{t('target.notFound')}</EmptyState>
            ) : (
              <TargetContent target={target} ask={ask} />
            )
          }
        </QueryResult>
      </Panel>
      {target && dialog === 'edit' && <EditTarget target={target} close={finished} />}
      {target && dialog === 'assign' && <AssignAgent target={target} close={finished} />}
      {target && dialog === 'remove' && <RemoveTarget target={target} close={finished} removed={close} />}
    </>
  );
}

type TargetContentProps = { readonly target: TargetDetailFragment; readonly ask: (question: TargetDialog) => void };

function TargetContent({ target, ask }: TargetContentProps) {
  const { state, health, agent, driver, product, labels } = target;
  return (
    <>
      <PanelPart>
        <div className={styles.facts}>
          <Facts look="pairs">
            <Fact label={t('environments.state')}>
              <TargetLabel state={state} />
            </Fact>
            <Fact label={t('target.health')}>
              <HealthText health={health} />
            </Fact>
            <Fact label={t('target.product')}>
              {optional(product, t('target.product.none'), ({ id, name }) => (
                <Link look="name" to="/products/$id" params={{ id }}>
                  {name}
                </Link>
              ))}
            </Fact>
            <Fact label={t('target.labels')}>{optional(formatLabels(labels) || null, t('none'), (text) => text)}</Fact>
            <Fact label={t('target.driver')}>{t(`driver.${driver}`)}</Fact>
            <Fact label={t('environments.agent')}>
              <AssignedAgent agent={agent} />
            </Fact>
            {agent !== null && agent.lastHeartbeatAt !== null && (
              <Fact label={t('agent.lastHeartbeat')}>
                <RelativeTime at={agent.lastHeartbeatAt} as="relative" />
              </Fact>
            )}
          </Facts>
        </div>
      </PanelPart>
      <TargetActions target={target} ask={ask} />
      <Observations target={target} />
      <Configuration target={target} />
    </>
  );
}

function Observations({ target: { observations } }: { readonly target: TargetDetailFragment }) {
  return (
    <PanelPart title={t('target.observed')}>
      {observations.length === 0 ? (
        <p className="quiet">{t('target.notObserved')}</p>
      ) : (
        <ul className={styles.seen}>
          {observations.map(({ id, component, running, digest, reason, observedAt }) => (
            <li key={id}>
              <StateLabel look={running ? 'verified' : 'missing'}>
                {t(running ? 'target.runs' : 'target.notRunning', { component })}
              </StateLabel>
              <span className="quiet">
                <RelativeTime at={observedAt} as="relative" />
              </span>
              <span className={styles.what}>
                {digest === null ? (
                  <span className="soft">{reason ?? t('estate.running.none')}</span>
                ) : (
                  <Digest value={digest} />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </PanelPart>
  );
}

function Configuration({ target: { config, secretRefs } }: { readonly target: TargetDetailFragment }) {
  const fields = [
    ['port', config.port],
    ['probePath', config.probePath],
    [
      'probeTimeoutSeconds',
      config.probeTimeoutSeconds === null ? null : t('time.s', { n: config.probeTimeoutSeconds }),
    ],
    ['slot', config.slot],
    ['project', config.project],
    ['containerPort', config.containerPort],
  ] as const;
  const variables = targetVariables({ config, secretRefs });
  return (
    <>
      <PanelPart title={t('target.driverSettings')}>
        <Facts look="pairs">
          {fields.map(([name, value]) =>
            value === null ? null : <Fact key={name} label={t(`config.${name}`)} code={String(value)} />,
          )}
        </Facts>
      </PanelPart>
      <PanelPart title={t('target.variables')}>
        {variables.length === 0 ? (
          <p className="quiet">{t('target.variables.none')}</p>
        ) : (
          <ul className={styles.variables}>
            {variables.map((variable) => (
              <li key={variable.name}>
                <span className="code">{variable.name}</span> <VariableValue variable={variable} />
              </li>
            ))}
          </ul>
        )}
      </PanelPart>
    </>
  );
}
