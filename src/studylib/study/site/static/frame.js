// In JupyterLab: the frame of an element is as high as what it shows, and as dark as what is around it.
"use strict";
{
  const fit = () => (frameElement.style.height = `${document.body.scrollHeight + 16}px`);
  document.documentElement.dataset.theme = parent.document.body.dataset.jpThemeLight === "false" ? "dark" : "light";
  new ResizeObserver(fit).observe(document.body);
}
