import type { FailureCausesFragment } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { count } from '../../lib/i18n.ts';
import { ActionLink } from '../../ui/ActionLink.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { CollapsedCode } from '../../ui/CodeBlock.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import styles from './Deployment.module.css';
import { labelOr, t } from './labels.ts';

type Group = FailureCausesFragment['failureGroups'][number];
type Open = (target: string) => void;

type FailureCausesProps = {
  readonly deployment: FailureCausesFragment;
  readonly open: Open;
  readonly chosen: string | undefined;
};

/** Failed targets grouped by cause, the largest first. A failure of the whole deployment is a group of its own. */
export function FailureCauses({ deployment, open, chosen: selected }: FailureCausesProps) {
  const { failureGroups: groups, failureAnatomy: anatomy } = deployment;
  const failed = groups.reduce((sum, group) => sum + group.count, 0);
  if (groups.length === 0 && anatomy !== null) return <DeploymentFailure anatomy={anatomy} />;
  if (groups.length === 0) return null;
  return (
    <Section title={t('causes.title')} count={t('causes.count', { targets: failed, n: groups.length })}>
      <Groups groups={groups} open={open} chosen={selected} />
    </Section>
  );
}

type GroupsProps = {
  readonly groups: readonly Group[];
  readonly open: Open;
  readonly chosen: string | undefined;
};

function Groups({ groups, open, chosen: selected }: GroupsProps) {
  const openFirst = (key: string) => {
    const first = groups.find((group) => keyOf(group) === key)?.targets[0];
    if (first !== undefined) open(first.target.id);
  };
  const current = groups.find(({ targets }) => targets.some(({ target }) => target.id === selected));
  const cursor = useCursor(groups.map(keyOf), openFirst, {
    id: current === undefined ? undefined : keyOf(current),
    choose: openFirst,
  });
  return (
    <div className={styles.causes}>
      <DataTable
        label={t('causes.title')}
        quietHead
        named={1}
        rows={groups}
        rowId={keyOf}
        cursor={cursor}
        columns={[
          {
            name: t('causes.targets'),
            width: '44px',
            className: styles.n ?? '',
            cell: (group) => (
              <>
                {count(group.count)} <span className="quiet">×</span>
              </>
            ),
          },
          {
            name: t('causes.cause'),
            cell: (group) => (
              <>
                <StateLabel look={group.category === 'DigestMismatch' ? 'mismatch' : 'failed'}>
                  {labelOr(`category.${group.category}`, group.category)}
                </StateLabel>{' '}
                {group.errorCodes.map((code) => (
                  <Badge key={code}>{code}</Badge>
                ))}
                <Cause group={group} />
              </>
            ),
          },
          {
            name: t('queue.action'),
            width: '220px',
            className: 'end num',
            cell: (group) => (
              <div className={styles.onward}>
                <ActionLink path={group.actionPath} here="deployment" size="small" />
                <Button size="small" data-open="" onClick={() => openFirst(keyOf(group))}>
                  {t('causes.open', { n: group.count })}
                </Button>
              </div>
            ),
          },
        ]}
      />
    </div>
  );
}

const keyOf = ({ category, reason }: Group): string => `${category} ${reason}`;

function Cause({ group }: { readonly group: Group }) {
  const { plainReason, action, targets } = group;
  const landing = targets.length === 1 ? targets[0]?.landing : undefined;
  const reported = landing?.observedDigest ?? landing?.manifestDigest;
  return (
    <p className={styles.cause}>
      {landing?.verdict === 'MISMATCH' && reported ? (
        <>
          {t('causes.runs', { name: targets[0]?.name ?? '' })} <Digest value={reported} against={landing.gatedDigest} />{' '}
          {t('causes.approved')} <Digest value={landing.gatedDigest} against={reported} />
        </>
      ) : (
        plainReason
      )}{' '}
      <span className="quiet">{action}</span>
    </p>
  );
}

function DeploymentFailure({ anatomy }: { readonly anatomy: NonNullable<FailureCausesFragment['failureAnatomy']> }) {
  const { category, plainReason, action, actionPath, detail } = anatomy;
  return (
    <Section title={t('causes.title')}>
      <div className={styles.whole}>
        <StateLabel look="failed">{labelOr(`category.${category}`, category)}</StateLabel>
        <p className={styles.anatomy}>{plainReason}</p>
        <p className="soft">{action}</p>
        <div className={styles.onward}>
          <ActionLink path={actionPath} here="deployment" size="small" />
        </div>
        <CollapsedCode label={t('panel.detail')} text={detail} />
      </div>
    </Section>
  );
}
