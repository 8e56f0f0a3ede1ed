import { AgentChoicesDocument, type TargetDriver } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Select } from '../../ui/Form.tsx';
import { t } from './labels.ts';

/** Driver names as agents spell them among their capabilities. */
const CAPABILITY: Readonly<Record<TargetDriver, string>> = {
  PROCESS: 'process',
  SANDBOX: 'sandbox',
  STATIC_SLOT: 'static-slot',
  COMPOSE: 'compose',
};

type AgentChoiceProps = {
  readonly driver: TargetDriver;
  readonly chosen?: string | undefined;
  /** Word for no agent, where the target may begin without one. */
  readonly none?: string;
};

/** Choice among the agents that can drive a target. */
export function AgentChoice({ driver, chosen: selected, none }: AgentChoiceProps) {
  const { data } = useLiveQuery(AgentChoicesDocument, {}, ['Agent']);
  const able = (data?.agents ?? []).filter(
    ({ state, capabilities }) =>
      state !== 'REVOKED' && capabilities.some((capability) => capability.driver === CAPABILITY[driver]),
  );
  return (
    <Select
      // The choice is made once its options are there.
      key={able.map(({ id }) => id).join()}
      name="agentId"
      label={t('environments.agent')}
      hint={t('target.agent.hint', { n: able.length, driver: t(`driver.${driver}`) })}
      options={[
        ...(none === undefined ? [] : [{ value: '', label: none }]),
        ...able.map(({ id, name, state }) => ({
          value: id,
          label: t('target.agent.option', { name, state: t(`agent.${state}`) }),
        })),
      ]}
      defaultValue={selected ?? (none === undefined ? '' : (able[0]?.id ?? ''))}
    />
  );
}
