import { type IdentityProviderFactsFragment, VerifyDomainDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

type Provider = IdentityProviderFactsFragment;
type Claim = Provider['domainClaims'][number];

/** Domains of a provider: whether each is proven, and the DNS record that proves it. */
export function ProviderDomains({ provider }: { readonly provider: Provider }) {
  if (provider.domainClaims.length === 0) return t('none');
  return provider.domainClaims.map((claim) => <Domain key={claim.domain} id={provider.id} claim={claim} />);
}

function Domain({ id, claim }: { readonly id: string; readonly claim: Claim }) {
  const { domain, record, provenBy, problem } = claim;
  const verb = useAction(VerifyDomainDocument);
  const verify = async () => {
    const finished = await verb.run({ id, domain });
    const after = finished?.verifyDomain.domainClaims.find((each) => each.domain === domain);
    if (after && after.provenBy !== null && after.problem === null) toast(t('idp.domain.verified', { domain }));
  };
  return (
    <div className="stack">
      <p>
        <span className="code">{domain}</span> {t(provenBy === null ? 'idp.domain.unproven' : `idp.domain.${provenBy}`)}{' '}
        <Button size="small" aria-label={t('idp.domain.verify.of', { domain })} onClick={() => void verify()}>
          {t('idp.domain.verify')}
        </Button>
      </p>
      {provenBy === null && (
        <p className="small">
          {t('idp.domain.record')} <span className="code">{record}</span>{' '}
          <CopyButton weight="plain" text={record} label={t('idp.redirect.copy')} copied={t('idp.domain.copied')} />
        </p>
      )}
      {problem !== null && <p className="small quiet">{problem}</p>}
      <ActionError problem={verb.problem} />
    </div>
  );
}
