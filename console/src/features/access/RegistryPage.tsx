import { AccessLayout } from './AccessLayout.tsx';
import { RegistryPlans } from './RegistryPlans.tsx';
import { RegistrySigning } from './RegistrySigning.tsx';
import { RegistryTokenSimulator } from './RegistryTokenSimulator.tsx';
import { RegistryTokens } from './RegistryTokens.tsx';

export function RegistryPage() {
  return (
    <AccessLayout tab="registry">
      <RegistryTokenSimulator />
      <RegistryPlans />
      <RegistryTokens />
      <RegistrySigning />
    </AccessLayout>
  );
}
