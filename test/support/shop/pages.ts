/** Pages of the shop. Their own code is in /shop.js, so that they work under a strict content security policy. */
export interface PageOptions {
  programId: string;
  scriptUrl: string;
  /** What this page has beside the others. */
  kind: string;
}

export const productPage = ({ programId, scriptUrl, kind }: PageOptions): string => `<!doctype html>
<html lang="en" data-program="${programId}">
<title>Shop</title>
<link rel="icon" href="data:,">
<script src="${scriptUrl}"${kind === 'debug' ? ' data-debug="true"' : ''}></script>
<script src="/shop.js" defer></script>
<h1>Product</h1>
<a id="own" href="/p/${programId}/other">Another page</a>
<a id="link" href="https://buy.stripe.com/test_1?prefilled_email=ada%40example.com">Pay</a>
${kind === 'cart' ? '<a id="taken" href="https://buy.stripe.com/test_2?client_reference_id=cart-7">Pay the cart</a>' : ''}
<stripe-buy-button id="button" buy-button-id="buy_btn_1"></stripe-buy-button>
<button id="buy">Buy</button>
<output id="order"></output>
</html>`;

/** Buys with the metadata that the script gives, and shows what the shop's server answers. */
export const SHOP_SCRIPT = `
const { program } = document.documentElement.dataset;
window.AgentRef?.ready(() => { document.documentElement.dataset.ready = 'yes'; });
document.getElementById('buy').addEventListener('click', async () => {
  const metadata = window.AgentRef?.getCheckoutMetadata() ?? {};
  const response = await fetch('/p/' + program + '/checkout', { method: 'POST', body: JSON.stringify(metadata) });
  document.getElementById('order').textContent = await response.text();
});
`;

export const framePage = (source: string): string => `<!doctype html>
<title>Frame</title>
<iframe sandbox="allow-scripts" src="${source}"></iframe>`;
