package io.fibry.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a test during which something must be logged at level ERROR; during all others nothing may. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface LogsErrors {
    /** Whether that is so each time; false where chance decides. */
    boolean always() default true;
}
