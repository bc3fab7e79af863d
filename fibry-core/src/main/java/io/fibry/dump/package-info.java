/**
 * Dumps: what all actors do at one moment, as text for people and as JSON for programs.
 *
 * <pre>{@code
 * System.out.println(ActorSystem.root().dump().text());
 * }</pre>
 *
 * <p>A dump is taken by a thread that only reads. No actor waits for it, and nothing has to be prepared for it.
 */
@NullMarked
package io.fibry.dump;

import io.fibry.ActorSystem;
import org.jspecify.annotations.NullMarked;
