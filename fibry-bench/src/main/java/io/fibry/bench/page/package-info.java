/** Shows results as a page and as a picture. Neither loads anything from elsewhere. */
package io.fibry.bench.page;
