/** How values are shown. Not exported: nothing here is API. */
@NullMarked
package io.fibry.text;

import org.jspecify.annotations.NullMarked;
