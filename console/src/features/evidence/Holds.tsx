import { useState } from 'react';
import {
  ArtifactDetailDocument,
  EndEvidenceHoldDocument,
  EvidenceHoldsDocument,
  type HoldRowFragment,
} from '../../generated/operations.ts';
import { EVIDENCE_READ, mayDispose, mayHold } from '../../lib/evidence-permissions.ts';
import { session } from '../../lib/session.ts';
import { ReasonDialog } from '../../parts/dialogs.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { Button, RowButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Artifact } from './ArtifactPage.tsx';
import { t } from './labels.ts';

/** Whether a hold lasts, as far as the user may read holds. */
export const isHeld = ({ holds }: Pick<Artifact, 'holds'>): boolean =>
  holds?.some(({ endedAt }) => endedAt === null) === true;

type HoldsProps = { readonly artifact: Artifact; readonly place: (() => void) | undefined };

/** Legal holds on an artifact, the newest first. While one lasts, nothing deletes it. */
export function Holds({ artifact: { holds }, place }: HoldsProps) {
  const [ending, end] = useState<HoldRowFragment>();
  const verb = place && (
    <Button size="small" onClick={place}>
      {t('hold.place')}
    </Button>
  );
  return (
    <Section title={t('holds.title')} bare>
      {holds === undefined ? (
        <ForbiddenAction name={t('holds.title')} scope={EVIDENCE_READ} permission={SCOPE_DENIED} />
      ) : holds.length === 0 ? (
        <EmptyState verb={verb}>{t('holds.none')}</EmptyState>
      ) : (
        <DataTable label={t('holds.title')} rows={holds} columns={holdColumns(end)} labelled />
      )}
      {ending !== undefined && <EndHold hold={ending} close={() => end(undefined)} />}
    </Section>
  );
}

/** A hold is ended by who placed it, or by an administrator. */
const mayEnd = ({ endedAt, placedBy }: HoldRowFragment): boolean =>
  endedAt === null && mayHold() && (mayDispose() || placedBy.id === session().subject);

export const holdColumns = (end: (hold: HoldRowFragment) => void): Column<HoldRowFragment>[] => [
  {
    name: t('hold.state'),
    cell: ({ endedAt }) => (
      <StateLabel look={endedAt === null ? 'held' : 'queued'}>
        {t(endedAt === null ? 'hold.lasts' : 'hold.ended')}
      </StateLabel>
    ),
  },
  { name: t('reason'), className: 'breaks', cell: (hold) => <Reasons hold={hold} /> },
  {
    name: t('hold.placed'),
    className: 'breaks',
    cell: ({ placedBy, placedAt }) => (
      <span>
        {placedBy.displayName} <Time at={placedAt} />
      </span>
    ),
  },
  actionsColumn<HoldRowFragment>((hold) =>
    mayEnd(hold) ? (
      <RowButton label={t('hold.end.label', { reason: hold.reason })} press={() => end(hold)}>
        {t('hold.end')}
      </RowButton>
    ) : null,
  ),
];

/** Reason of a hold, and once it has ended by whom and why. */
const Reasons = ({ hold: { reason, endedAt, endedBy, endReason } }: { readonly hold: HoldRowFragment }) => (
  <div>
    <p>{reason}</p>
    {endedAt !== null && (
      <p className="small soft">
        {t('hold.ended.by', { name: endedBy?.displayName ?? '' })} <Time at={endedAt} />: {endReason}
      </p>
    )}
  </div>
);

export const EndHold = ({
  hold: { id, reason },
  close,
}: {
  readonly hold: HoldRowFragment;
  readonly close: () => void;
}) => (
  <ReasonDialog
    document={EndEvidenceHoldDocument}
    input={(why) => ({ id, reason: why })}
    done={t('hold.end.done')}
    refetch={[ArtifactDetailDocument, EvidenceHoldsDocument]}
    title={t('hold.end.title')}
    verb={t('hold.end')}
    close={close}
  >
    <p className="soft">{t('hold.end.lead', { reason })}</p>
  </ReasonDialog>
);
