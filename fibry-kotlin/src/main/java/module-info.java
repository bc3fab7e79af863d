/**
 * Fibry from Kotlin: coroutines ask actors, and actors live in coroutine scopes.
 *
 * <p>The module is written in Kotlin; {@code docs/kotlin.md} in the source repository describes it.
 */
module io.fibry.kotlin {
    requires transitive io.fibry;
    requires transitive io.fibry.patterns;
    requires transitive kotlin.stdlib;
    requires transitive kotlinx.coroutines.core;

    exports io.fibry.kotlin;
}
