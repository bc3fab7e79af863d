/** Results as a page and as a picture; nothing is loaded from elsewhere. */
package io.fibry.bench.page;
