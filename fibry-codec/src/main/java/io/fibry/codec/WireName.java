package io.fibry.codec;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name that a record, an enum, a sealed interface, a component of a record, or a constant of an enum has in the
 * bytes. Without it, that is the simple name. With it, a name in the code can change while old bytes are still read,
 * and one codec can have two classes of one simple name.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.RECORD_COMPONENT, ElementType.FIELD})
public @interface WireName {
    /**
     * The name.
     *
     * @return a name that is not blank and contains no white space
     */
    String value();
}
