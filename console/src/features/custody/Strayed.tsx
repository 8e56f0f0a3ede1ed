import type { ReactNode } from 'react';
import { type ChainQuery, type ChainStepFragment, StrayedStatementDocument } from '../../generated/operations.ts';
import { useLive } from '../../lib/graph.ts';
import { linkOf } from '../../lib/links.ts';
import { Banner } from '../../ui/Banner.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { StatementPart } from './StatementPart.tsx';
import { isReference, stepOf, superseded } from './strayed.ts';
import { t } from './words.ts';

type Props = {
  readonly release: NonNullable<ChainQuery['release']>;
  readonly step: ChainStepFragment;
  /** The statement that the address names, and the link does not show. */
  readonly wanted: string;
  /** What the link opens otherwise. */
  readonly children: ReactNode;
};

/** An address may name a statement that the link no longer rests on: it is said, and shown where it is still known. */
export function Strayed(props: Props) {
  return isReference(props.wanted) ? (
    <Known {...props} />
  ) : (
    <>
      <Notice {...props} />
      {props.children}
    </>
  );
}

function Known(props: Props) {
  const { release, step, wanted, children } = props;
  const found = useLive(StrayedStatementDocument, { ref: wanted }).data?.attestation;
  if (found && found.release.id === release.id && stepOf(found) === step.step)
    return (
      <>
        <Notice {...props} title={t('strayed.superseded')} />
        <StatementPart statement={superseded(found)} told={null} name={t(`custody.${step.step}`)} />
      </>
    );
  return (
    <>
      <Notice
        {...props}
        verb={
          found && (
            <LinkButton
              size="small"
              to="/custody/$releaseId"
              params={{ releaseId: found.release.id }}
              search={{ link: linkOf(stepOf(found)), statement: wanted }}
              replace={found.release.id === release.id}
            >
              {found.release.id === release.id
                ? t('strayed.link', { name: t(`link.${stepOf(found)}`) })
                : t('strayed.release', { what: `${found.release.name} ${found.release.semver}` })}
            </LinkButton>
          )
        }
      />
      {children}
    </>
  );
}

function Notice({
  release,
  step,
  title = t('strayed.title'),
  verb,
}: Props & { readonly title?: string; readonly verb?: ReactNode }) {
  return (
    <div role="status">
      <Banner
        tone="attention"
        title={title}
        verb={
          <span className="row">
            {verb}
            <LinkButton
              size="small"
              to="/custody/$releaseId"
              params={{ releaseId: release.id }}
              search={{ link: linkOf(step.step) }}
              replace
              resetScroll={false}
            >
              {t('strayed.now')}
            </LinkButton>
          </span>
        }
      />
    </div>
  );
}
