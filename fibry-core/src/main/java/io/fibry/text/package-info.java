/** The text of records and values. The package is not exported: nothing here is API. */
@NullMarked
package io.fibry.text;

import org.jspecify.annotations.NullMarked;
