/**
 * Directories that are watched.
 *
 * <pre>{@code
 * try (var scope = ActorSystem.open("import");
 *         var inbox = DirectoryWatch.open(scope, "inbox", DirectoryWatchOptions.of(Path.of("inbox")), changes -> {
 *             for (var change : changes) {
 *                 System.out.println(change.kind() + " " + change.path());
 *             }
 *         })) {
 *     Thread.sleep(Duration.ofMinutes(1));
 * }
 * }</pre>
 */
@NullMarked
package io.fibry.files;

import io.fibry.ActorSystem;
import org.jspecify.annotations.NullMarked;
