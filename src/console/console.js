// Buttons that copy a text. Listens on the document, because pages replace their content.
document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Without a permission, or on an insecure host: the text beside it is selected, so that it can be copied by hand.
    getSelection()?.selectAllChildren(button.previousElementSibling);
    return;
  }
  const label = button.querySelector('span');
  const before = label.textContent;
  label.textContent = button.dataset.copied;
  setTimeout(() => {
    label.textContent = before;
  }, 2_000);
});

// Forms with a passkey: the device is asked first, and what it returns is sent.
document.addEventListener(
  'submit',
  async (event) => {
    const form = event.target;
    const ask = form.querySelector('[data-passkey]');
    const response = form.elements.namedItem('response');
    if (!ask || response?.value) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    try {
      const options = JSON.parse(ask.dataset.options);
      const credential =
        ask.dataset.passkey === 'create'
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      response.value = JSON.stringify(credential);
    } catch {
      ask.textContent = ask.dataset.failed;
      return;
    }
    form.requestSubmit();
  },
  true,
);

// Links to what is confirmed: it is in a dialog of the page already. Before htmx, which would load the page that stands in for it.
document.addEventListener(
  'click',
  (event) => {
    const link = event.target.closest?.('[data-dialog]');
    const dialog = link && document.getElementById(link.dataset.dialog);
    if (!dialog || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    dialog.showModal();
  },
  true,
);

// Forms that only lead on, once each: somebody proves who they are with their device alone.
const leadOn = () => {
  for (const form of document.querySelectorAll('form[data-lead-on]:not([data-led])')) {
    form.dataset.led = '';
    form.requestSubmit();
  }
};
new MutationObserver(leadOn).observe(document, { childList: true, subtree: true });
leadOn();
