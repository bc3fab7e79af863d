package io.fibry.codec;

import java.util.List;

/** A shape, which may not be made yet: types may contain themselves. The list does not change once the codec is made. */
record ShapeRef(List<Shape> all, int index) {
    Shape shape() {
        return all.get(index);
    }

    String label() {
        return shape().label();
    }
}
