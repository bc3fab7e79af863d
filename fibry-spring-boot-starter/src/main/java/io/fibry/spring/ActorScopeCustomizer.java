package io.fibry.spring;

import io.fibry.ScopeBuilder;

/**
 * Changes how the scope of the program is made, in ways that have no property. All beans of this type are called, in their order, after
 * the properties {@code fibry.scope.*} were applied.
 *
 * <pre>{@code
 * @Bean
 * ActorScopeCustomizer restarts() {
 *     return builder -> builder.onFailure(FailurePolicy.resume());
 * }
 * }</pre>
 *
 * <p>A bean of the type {@link io.fibry.ActorScope} replaces the scope altogether, and is not customized. A customizer is called once,
 * on the thread that makes the scope.
 */
@FunctionalInterface
public interface ActorScopeCustomizer {
    /**
     * Returns a changed builder.
     *
     * @param builder the builder so far
     * @return the builder with the changes, or the same one
     */
    ScopeBuilder customize(ScopeBuilder builder);
}
