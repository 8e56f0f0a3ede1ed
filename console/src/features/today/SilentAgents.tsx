import type { SilentAgentRowFragment } from '../../generated/operations.ts';
import type { Cursor } from '../../lib/cursor.ts';
import { t } from '../../lib/i18n.ts';
import { AgentLabel } from '../../ui/EntityStates.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { Queue, QueueRow } from './Queue.tsx';

/** Agents that have missed beats: what they serve is not known to run. */
export function SilentAgents({
  rows,
  cursor,
}: {
  readonly rows: readonly SilentAgentRowFragment[];
  readonly cursor: Cursor;
}) {
  return (
    <Queue title={t('today.silent')} n={rows.length}>
      {rows.map(({ id, name, state, lastHeartbeatAt, createdAt }) => (
        <QueueRow
          key={id}
          id={id}
          cursor={cursor}
          mark={<AgentLabel state={state} />}
          what={name}
          why={t(lastHeartbeatAt === null ? 'today.why.never' : 'today.why.silent')}
          since={lastHeartbeatAt ?? createdAt}
          verb={(weight) => (
            <LinkButton data-open="" size="small" weight={weight} to="/agents">
              {t('today.verb.agents')}
            </LinkButton>
          )}
        />
      ))}
    </Queue>
  );
}
