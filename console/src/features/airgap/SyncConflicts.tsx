import { useState } from 'react';
import {
  ResolveSyncConflictDocument,
  type SyncConflictRowFragment,
  SyncConflictsDocument,
  SyncDocument,
} from '../../generated/operations.ts';
import { maySeal } from '../../lib/airgap-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { ReasonDialog } from '../../parts/dialogs.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { Chip, RowButton } from '../../ui/Button.tsx';
import { CollapsedCode } from '../../ui/CodeBlock.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Select } from '../../ui/Form.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { type NamedSite, siteName } from './site-name.ts';
import { SYNC_ENTITIES } from './sync-entities.ts';

type SyncConflictsProps = {
  readonly sites: readonly NamedSite[];
  readonly isAll: boolean;
  readonly showAll: (isAll: boolean) => void;
};

/** Keys of jobs under which sites say different things. What counts stays until a person takes the other side. */
export function SyncConflicts({ sites, isAll, showAll }: SyncConflictsProps) {
  const answer = useLiveQuery(SyncConflictsDocument, { openOnly: !isAll }, SYNC_ENTITIES);
  const [asked, ask] = useState<SyncConflictRowFragment>();
  return (
    <>
      <ListSection
        title={t('sync.conflicts')}
        side={
          <Chip pressed={isAll} onPress={() => showAll(!isAll)}>
            {t('sync.conflicts.all')}
          </Chip>
        }
        bare
        of={answer}
        rows={({ syncConflicts }) => syncConflicts}
        fault={t('sync.conflicts.fault')}
        empty={t('sync.conflicts.none')}
        columns={columns(sites, ask)}
        labelled
      />
      {asked !== undefined && <Resolve conflict={asked} sites={sites} close={() => ask(undefined)} />}
    </>
  );
}

const columns = (
  sites: readonly NamedSite[],
  ask: (conflict: SyncConflictRowFragment) => void,
): Column<SyncConflictRowFragment>[] => [
  {
    name: t('sync.key'),
    className: 'breaks',
    cell: ({ key }) => key,
  },
  { name: t('sync.kind'), cell: ({ kind }) => t(`sync.kind.${kind}`) },
  {
    name: t('sync.sides'),
    className: 'breaks',
    cell: ({ sides, inForce }) => (
      <ul>
        {sides.map(({ id, siteId, digest }) => (
          <li key={id}>
            <StateLabel look={digest === inForce ? 'verified' : 'mismatch'}>{siteName(siteId, sites)}</StateLabel>{' '}
            <Digest value={digest} against={digest === inForce ? null : inForce} />
            <span className="small quiet"> {t(digest === inForce ? 'sync.side.counts' : 'sync.side.differs')}</span>
          </li>
        ))}
      </ul>
    ),
  },
  { name: t('sync.found'), cell: ({ foundAt }) => <Time at={foundAt} /> },
  {
    name: t('sync.decision'),
    className: 'breaks',
    cell: ({ resolvedAt, resolvedBy, reason }) =>
      optional(resolvedAt, t('sync.decision.none'), (at) => (
        <span>
          {resolvedBy?.displayName} <Time at={at} /> <span className="soft">{reason}</span>
        </span>
      )),
  },
  ...(maySeal()
    ? [
        actionsColumn<SyncConflictRowFragment>((conflict) => (
          <RowButton label={labelOf(conflict)} press={() => ask(conflict)}>
            {verbOf(conflict)}
          </RowButton>
        )),
      ]
    : []),
];

const verbOf = ({ isResolved }: SyncConflictRowFragment) => t(isResolved ? 'sync.resolve.again' : 'sync.resolve');

const labelOf = ({ isResolved, key }: SyncConflictRowFragment) =>
  t(isResolved ? 'sync.resolve.again.label' : 'sync.resolve.label', { key });

type ResolveProps = {
  readonly conflict: SyncConflictRowFragment;
  readonly sites: readonly NamedSite[];
  readonly close: () => void;
};

/** Dialog that decides a conflict, also again: the side that counts goes on, or another takes its place. */
function Resolve({ conflict, sites, close }: ResolveProps) {
  const { id, key, sides, inForce, version } = conflict;
  const [digest, choose] = useState(inForce);
  const named = (wanted: string) => siteName(sides.find((side) => side.digest === wanted)?.siteId ?? '', sites);
  return (
    <ReasonDialog
      document={ResolveSyncConflictDocument}
      input={(reason) => ({
        ...{ id, reason, version, digest },
        choice: digest === inForce ? ('KEEP_OURS' as const) : ('TAKE_THEIRS' as const),
      })}
      done={t('sync.resolve.done', { key })}
      refetch={[SyncConflictsDocument, SyncDocument]}
      title={t('sync.resolve.title', { key })}
      verb={verbOf(conflict)}
      wide
      close={close}
    >
      <p className="soft">{t('sync.resolve.lead')}</p>
      {conflict.reason !== null && <p className="soft">{t('sync.resolve.before', { reason: conflict.reason })}</p>}
      {sides.map(({ id: side, siteId, payload }) => (
        <CollapsedCode key={side} label={t('sync.side.of', { site: siteName(siteId, sites) })} text={payload} />
      ))}
      <Select
        name="digest"
        label={t('sync.resolve.side')}
        value={digest}
        onValue={choose}
        options={sides.map((side) => ({
          value: side.digest,
          label: t(side.digest === inForce ? 'sync.side.keep' : 'sync.side.take', {
            site: siteName(side.siteId, sites),
          }),
        }))}
      />
      <p>
        {digest === inForce
          ? t('sync.resolve.effect.keep', { site: named(inForce) })
          : t('sync.resolve.effect.take', { site: named(digest), before: named(inForce) })}
      </p>
    </ReasonDialog>
  );
}
