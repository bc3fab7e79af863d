package io.fibry.codec;

import java.util.Objects;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads what an earlier release wrote, where the rules of {@link Compat} are not enough: a record that was renamed, or whose
 * components have changed their names, types or meaning. It gets the components of the old record as a tree, before any class
 * is made of it, and gives the tree that a record of today is read from. The result is read like bytes: the same checks apply.
 *
 * <p>An upcaster is called for each record with its type name, also for those of today if the name is still in use.
 * It must then leave these as they are. Several threads may call it at once.
 *
 * <p>The name of a record is in the bytes of a root and where a sealed interface stands. Elsewhere, as in a component
 * {@code List<Item>}, a record is read under its type name of today. One that was renamed and stands there must keep its
 * old type name by {@link WireName}, and have an upcaster of that name.
 */
public interface Upcaster {
    /**
     * The type name in the old bytes.
     *
     * @return the simple name of the record, or its {@link WireName}
     */
    String type();

    /**
     * The type name of the record that is read.
     *
     * @return {@link #type()} if this method is not overridden
     */
    default String becomes() {
        return type();
    }

    /**
     * Changes the components.
     *
     * @param old the components as they were written; it may be changed
     * @return the components that the record is read from; a constant that is set there is to be a copy
     */
    ObjectNode read(ObjectNode old);

    /**
     * Makes an upcaster for a record that has kept its name.
     *
     * @param type the type name
     * @param change see {@link #read}
     * @return an upcaster
     */
    static Upcaster of(String type, UnaryOperator<ObjectNode> change) {
        return of(type, type, change);
    }

    /**
     * Makes an upcaster for a record that has another name today.
     *
     * @param type the type name in the old bytes
     * @param becomes the type name today
     * @param change see {@link #read}
     * @return an upcaster
     */
    static Upcaster of(String type, String becomes, UnaryOperator<ObjectNode> change) {
        return new NamedUpcaster(Objects.requireNonNull(type, "type"),
                Objects.requireNonNull(becomes, "becomes"),
                Objects.requireNonNull(change, "change"));
    }
}
