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
