import { AccessLayout } from './AccessLayout.tsx';
import { AccessSimulator } from './AccessSimulator.tsx';
import { RegistryPlans } from './RegistryPlans.tsx';
import { RegistrySigning } from './RegistrySigning.tsx';
import { RegistryTokens } from './RegistryTokens.tsx';

export function RegistryPage() {
  return (
    <AccessLayout tab="registry">
      <AccessSimulator />
      <RegistryPlans />
      <RegistryTokens />
      <RegistrySigning />
    </AccessLayout>
  );
}
