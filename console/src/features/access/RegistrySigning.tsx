import { RegistrySigningDocument, type RegistrySigningQuery } from '../../generated/operations.ts';
import { download } from '../../lib/download.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock, CollapsedCode } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

export function RegistrySigning() {
  const signing = useLiveQuery(RegistrySigningDocument, {});
  return (
    <Section title={t('signing')}>
      <QueryResult of={signing} skeleton={<SkeletonRows rows={4} />} fault={t('signing.fault')}>
        {({ registrySigning }) => <Signing signing={registrySigning} />}
      </QueryResult>
    </Section>
  );
}

function Signing({ signing }: { readonly signing: RegistrySigningQuery['registrySigning'] }) {
  const { rootCertificates: pem, configuration: yaml } = signing;
  return (
    <div className="stack" style={{ paddingBlock: 12 }}>
      <Facts look="page">
        <Fact label={t('signing.issuer')} code={signing.issuer} />
        <Fact label={t('signing.realm')} code={signing.realm} />
        <Fact label={t('signing.key')} code={signing.keyId} />
        <Fact label={t('signing.leaf')}>
          <Time at={signing.leafExpiresAt} /> · <RelativeTime at={signing.leafExpiresAt} as="relative" />
        </Fact>
        <Fact label={t('signing.lifetime')}>{t('signing.seconds', { n: signing.lifetimeSeconds })}</Fact>
        <Fact label={t('signing.services')}>{signing.services.join(', ') || t('signing.services.any')}</Fact>
        <Fact label={t('signing.revoked')}>{signing.revokedLicenses.join(', ') || t('none')}</Fact>
      </Facts>
      <p className="soft">{t('signing.lead')}</p>
      <CodeBlock label={t('signing.configuration')} text={yaml} />
      <p className="row" style={{ flexWrap: 'wrap' }}>
        <CopyButton text={yaml} label={t('signing.configuration.copy')} copied={t('signing.configuration.copied')} />
        <CopyButton text={pem} label={t('signing.ca.copy')} copied={t('signing.ca.copied')} />
        <Button size="small" onClick={() => download('landfall-registry-ca.pem', 'application/x-pem-file', pem)}>
          {t('signing.ca.download')}
        </Button>
      </p>
      <CollapsedCode label={t('signing.ca')} text={pem} />
    </div>
  );
}
