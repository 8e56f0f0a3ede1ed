import type { ReactNode } from 'react';
import {
  type CustodyChainQuery,
  type CustodyStepFragment,
  SupersededStatementDocument,
} from '../../generated/operations.ts';
import { custodyLink } from '../../lib/custody-links.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Banner } from '../../ui/Banner.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { t } from './labels.ts';
import { StatementDetail } from './StatementDetail.tsx';
import { asCustodyStatement, custodyStep, isReference } from './superseded-statement.ts';

type Props = {
  readonly release: NonNullable<CustodyChainQuery['release']>;
  readonly step: CustodyStepFragment;
  readonly wanted: string;
  readonly children: ReactNode;
};

/** Notice for an address with a superseded statement, with the statement where it is still stored. */
export function SupersededStatement(props: Props) {
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
  const { release, step, wanted: requested, children } = props;
  const found = useLiveQuery(SupersededStatementDocument, { ref: requested }).data?.attestation;
  if (found && found.release.id === release.id && custodyStep(found) === step.step)
    return (
      <>
        <Notice {...props} title={t('supersededStatement.superseded')} />
        <StatementDetail statement={asCustodyStatement(found)} linkReason={null} name={t(`custody.${step.step}`)} />
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
              search={{ link: custodyLink(custodyStep(found)), statement: requested }}
              replace={found.release.id === release.id}
            >
              {found.release.id === release.id
                ? t('supersededStatement.link', { name: t(`link.${custodyStep(found)}`) })
                : t('supersededStatement.release', { what: `${found.release.name} ${found.release.semver}` })}
            </LinkButton>
          )
        }
      />
      {children}
    </>
  );
}

type NoticeProps = Props & { readonly title?: string; readonly verb?: ReactNode };

function Notice({ release, step, title = t('supersededStatement.title'), verb }: NoticeProps) {
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
              search={{ link: custodyLink(step.step) }}
              replace
              resetScroll={false}
            >
              {t('supersededStatement.now')}
            </LinkButton>
          </span>
        }
      />
    </div>
  );
}
