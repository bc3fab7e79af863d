/**
 * Actors in programs of Spring Boot. The starter gives a program an {@link io.fibry.ActorScope} as a bean, which is closed with the
 * context, and what the properties {@code fibry.*} ask for. The document {@code docs/spring.md} of the source repository has all of
 * them.
 */
@NullMarked
package io.fibry.spring;

import org.jspecify.annotations.NullMarked;
