// Browsers start no worker of a page that was opened from a folder: the search runs in a hidden frame there.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) => Promise.all(urls.map((one) => this.load(one)));
      this.ready = this.load(url);
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: String(url), onload: done, onerror: failed });
        this.inside.document.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
