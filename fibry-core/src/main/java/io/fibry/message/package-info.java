/** What a program can know and do about a single message, beyond sending it. */
@NullMarked
package io.fibry.message;

import org.jspecify.annotations.NullMarked;
