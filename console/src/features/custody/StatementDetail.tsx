import type { ReactNode } from 'react';
import {
  type CustodyStatementFragment,
  PlatformStatementDocument,
  type PlatformStatementQuery,
} from '../../generated/operations.ts';
import { download } from '../../lib/download.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { FileButton } from '../../parts/FileButton.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock, CollapsedCode } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { DeploymentPageLink, EnvironmentLink } from '../../ui/EntityLink.tsx';
import { CustodyLabel } from '../../ui/EntityStates.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Custody.module.css';
import { t } from './labels.ts';
import { capitalized, signerName } from './statement-text.ts';

type Own = NonNullable<PlatformStatementQuery['attestation']>;
type Props = {
  readonly statement: CustodyStatementFragment;
  readonly linkReason: string | null;
};

/** Detail of a statement: its subject, its predicate, its signer and its log entry. */
export function StatementDetail({ statement, linkReason, name }: Props & { readonly name: string }) {
  const ref = statement.attestation?.ref;
  return ref === undefined ? (
    <Section title={t('statement.title', { name })} count={<Signed statement={statement} />}>
      <About statement={statement} linkReason={linkReason} />
    </Section>
  ) : (
    <OwnPart reference={ref} statement={statement} linkReason={linkReason} name={name} />
  );
}

const Signed = ({ statement: { state, signedAt } }: Pick<Props, 'statement'>) => (
  <span className="row">
    <CustodyLabel state={state} />
    {signedAt !== null && (
      <span>
        {t('statement.signed')} <Time at={signedAt} />
      </span>
    )}
  </span>
);

/** Facts of any statement; `children` are further facts of the platform's statements. */
function About({
  statement: {
    predicateType,
    summary,
    component,
    environment,
    signer,
    signedBy,
    attestation,
    digest,
    logIndex,
    verifiedAt,
    reason,
    deployment,
  },
  linkReason,
  proof,
  children,
}: Props & { readonly proof?: string | undefined; readonly children?: ReactNode }) {
  return (
    <div className={styles.about}>
      <Facts look="pairs">
        {reason !== null && linkReason?.endsWith(reason) !== true && (
          <Fact label={t('statement.reason')}>{capitalized(reason)}</Fact>
        )}
        {(component !== null || environment !== null) && (
          <Fact label={t('statements.subject')}>
            {component}
            {environment !== null && <EnvironmentLink environment={environment} />}
            {deployment !== null && (
              <>
                {', '}
                <DeploymentPageLink id={deployment.id}>{t('statement.deployment')}</DeploymentPageLink>
              </>
            )}
          </Fact>
        )}
        <Fact label={t('statements.content')}>{capitalized(summary)}</Fact>
        <Fact label={t('statement.predicate')} code={predicateType} />
        {signedBy !== null && (
          <Fact label={t('statement.signer')}>
            {signerName({ signer, signedBy, attestation })} <span className="code quiet">{signedBy}</span>
          </Fact>
        )}
        {digest !== null && (
          <Fact label={t('statement.digest')}>
            <Digest value={digest} />
          </Fact>
        )}
        <Fact label={t('statement.log')}>
          {logIndex === null ? (
            <span className="quiet">{t('chain.notLogged')}</span>
          ) : (
            t('statement.entry', { n: Number(logIndex) })
          )}
          {proof}
        </Fact>
        {verifiedAt !== null && <Fact label={t('statement.verified')} at={verifiedAt} />}
        {children}
      </Facts>
    </div>
  );
}

function OwnPart({
  reference,
  statement,
  linkReason,
  name,
}: Props & { readonly reference: string; readonly name: string }) {
  const own = useLiveQuery(PlatformStatementDocument, { ref: reference });
  const found = own.data?.attestation;
  return (
    <Section
      title={t('statement.title', { name })}
      count={<Signed statement={statement} />}
      side={
        found && (
          <CopyButton
            icon
            weight="plain"
            text={found.statement}
            label={t('statement.copy')}
            copied={t('statement.copied')}
          />
        )
      }
    >
      <QueryResult of={own} skeleton={<SkeletonRows rows={4} />} fault={t('statement.fault')}>
        {({ attestation }) => (
          <>
            <About
              statement={statement}
              linkReason={linkReason}
              proof={attestation === null ? undefined : proofOf(attestation)}
            >
              {attestation !== null && <OwnFacts own={attestation} />}
            </About>
            {attestation !== null && <Papers own={attestation} />}
          </>
        )}
      </QueryResult>
    </Section>
  );
}

const proofOf = ({ log: { treeSize, origin } }: Own): string => t('statement.tree', { n: Number(treeSize), origin });

function OwnFacts({ own: { ref, subjects, externalLog, timestamps } }: { readonly own: Own }) {
  return (
    <>
      {externalLog !== null && (
        <Fact label={t('statement.external')}>
          {t('statement.external.entry', { n: Number(externalLog.index), url: externalLog.url })}
        </Fact>
      )}
      {timestamps.map((at) => (
        <Fact key={at} label={t('statement.time')}>
          <Time at={at} as="full" />
        </Fact>
      ))}
      <Fact label={t('statement.subjects')}>
        <ul>
          {subjects.map(({ name, digest }) => (
            <li key={`${name} ${digest}`}>
              {name} <Digest value={digest} />
            </li>
          ))}
        </ul>
      </Fact>
      <Fact label={t('statement.reference')} code={ref} />
    </>
  );
}

function Papers({ own: { ref, statement, bundle, recipe, packagePath } }: { readonly own: Own }) {
  return (
    <>
      <CollapsedCode label={t('statement.text')} text={pretty(statement)} wrap />
      <details>
        <summary>{t('statement.recipe')}</summary>
        <p className={styles.papers}>
          <FileButton path={packagePath} name={`${ref}.tar`}>
            {t('statement.package')}
          </FileButton>
          <Button
            size="small"
            onClick={() => download(`${ref}.sigstore.json`, 'application/vnd.dev.sigstore.bundle.v0.3+json', bundle)}
          >
            {t('statement.bundle')}
          </Button>
          <CopyButton icon weight="plain" text={recipe} label={t('recipe.copy')} copied={t('recipe.copied')} />
        </p>
        <CodeBlock label={t('statement.recipe')} text={recipe} />
      </details>
    </>
  );
}

/** Canonical JSON, indented for reading; the copied text is the canonical line. */
function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
