import { download } from '../../lib/download.ts';
import { Button } from '../../ui/Button.tsx';
import { CollapsedCode } from '../../ui/CodeBlock.tsx';
import { DetailSection } from '../../ui/DetailToggle.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { t } from './labels.ts';
import type { PolicyVersion } from './PoliciesPage.tsx';
import { PolicyComparison } from './PolicyComparison.tsx';
import { readable } from './policy-changes.ts';

/** Detail of a version: its comparison with the one before, and its text. */
export function PolicyDetail({ policy }: { readonly policy: PolicyVersion }) {
  const { key, id, version, name, document, before } = policy;
  const text = readable(document);
  return (
    <DetailSection id={key} label={t('policy.detail', { name })}>
      {before === undefined ? (
        <p className="soft">{t('policy.first')}</p>
      ) : (
        <>
          <p className="soft">{t('policy.compared', { name: before.name })}</p>
          <PolicyComparison label={t('policy.weights')} before={before.document} after={document} />
        </>
      )}
      <CollapsedCode label={t('policy.document')} text={text} open={before === undefined} />
      <div>
        <Button size="small" onClick={() => download(`policy-${id}-${version}.json`, 'application/json', text)}>
          <Icon name="down" size={14} />
          {t('policy.download')}
        </Button>
      </div>
    </DetailSection>
  );
}
