package io.fibry.bench.report;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** Measured values of one thing. Medians, because one disturbed round must not count. */
public final class Samples {
    private final List<Double> values = new ArrayList<>();

    /**
     * Samples of values.
     *
     * @param values the values
     * @return the samples
     */
    @JsonCreator
    public static Samples of(double... values) {
        var samples = new Samples();
        for (var value : values) {
            samples.add(value);
        }
        return samples;
    }

    /**
     * Adds one.
     *
     * @param value a number, more than zero
     */
    public void add(double value) {
        if (!Double.isFinite(value) || value <= 0) {
            throw new IllegalArgumentException("no result of a measurement: " + value);
        }
        values.add(value);
    }

    /**
     * Whether there is no value yet.
     *
     * @return true if so
     */
    @JsonIgnore
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /**
     * Value by value, this one's by the other's; the longer one's last values are left out.
     *
     * @param other what to divide by
     * @return other samples
     */
    public Samples dividedBy(Samples other) {
        var ratios = new Samples();
        for (int i = 0; i < Math.min(values.size(), other.values.size()); i++) {
            ratios.add(values.get(i) / other.values.get(i));
        }
        return ratios;
    }

    /**
     * The values in another unit.
     *
     * @param factor each value is multiplied by it
     * @return other samples
     */
    public Samples times(double factor) {
        return map(value -> value * factor);
    }

    /**
     * Something computed of each value.
     *
     * @param function what
     * @return other samples
     */
    public Samples map(DoubleUnaryOperator function) {
        return of(values.stream().mapToDouble(Double::doubleValue).map(function).toArray());
    }

    /**
     * The value in the middle.
     *
     * @return the median
     */
    public double median() {
        return middle(values);
    }

    /**
     * How far values are from the median: the median of those distances, which one wild value does not move.
     *
     * @return the median absolute deviation
     */
    public double deviation() {
        var median = median();
        return middle(values.stream().map(value -> Math.abs(value - median)).toList());
    }

    private static double middle(List<Double> values) {
        var sorted = values.stream().sorted().toList();
        var half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /**
     * The smallest value.
     *
     * @return the minimum
     */
    public double low() {
        return Collections.min(values);
    }

    /**
     * The largest value.
     *
     * @return the maximum
     */
    public double high() {
        return Collections.max(values);
    }

    /**
     * All values, in the order they were measured in.
     *
     * @return a copy
     */
    @JsonValue
    public List<Double> values() {
        return List.copyOf(values);
    }
}
