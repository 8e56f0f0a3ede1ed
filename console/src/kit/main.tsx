import '../ui/tokens.css';
import '../ui/base.css';
import { createRoot } from 'react-dom/client';
import { Kit } from './Kit.tsx';
import { LongTable } from './LongTable.tsx';

// The kit's page is served by the development server alone: it is not part of the product.
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(location.hash === '#long' ? <LongTable /> : <Kit />);
