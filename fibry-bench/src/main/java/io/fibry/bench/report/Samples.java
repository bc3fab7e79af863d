package io.fibry.bench.report;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** The measured values of one line. Medians are used, because one disturbed round must not count. */
public final class Samples {
    private final List<Double> values = new ArrayList<>();
    private double longestPause;

    /**
     * Returns samples with the given values.
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
     * Adds a value.
     *
     * @param value the value, more than zero
     */
    public void add(double value) {
        if (!Double.isFinite(value) || value <= 0) {
            throw new IllegalArgumentException("no result of a measurement: " + value);
        }
        values.add(value);
    }

    /**
     * Adds the values of other samples, and their longest pause.
     *
     * @param other the other samples
     */
    public void addAll(Samples other) {
        values.addAll(other.values);
        pause(other.longestPause);
    }

    /**
     * Adds a pause of the collector that fell into the measurement.
     *
     * @param millis how long it was
     */
    public void pause(double millis) {
        longestPause = Math.max(longestPause, millis);
    }

    /**
     * Returns the longest pause of the collector.
     *
     * @return the pause in milliseconds; 0 if there was none, or if it was not measured
     */
    public double longestPause() {
        return longestPause;
    }

    /**
     * Tells whether there is no value yet.
     *
     * @return true if there is none
     */
    @JsonIgnore
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /**
     * Returns the ratios of these values to those of other samples, one by one. If one has more values, its last ones
     * are left out.
     *
     * @param other the divisors
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
     * Returns the values in another unit.
     *
     * @param factor each value is multiplied by it
     * @return other samples
     */
    public Samples times(double factor) {
        return map(value -> value * factor);
    }

    /**
     * Returns the results of a function for each value.
     *
     * @param function the function
     * @return other samples
     */
    public Samples map(DoubleUnaryOperator function) {
        return of(values.stream().mapToDouble(Double::doubleValue).map(function).toArray());
    }

    /**
     * Returns the value in the middle.
     *
     * @return the median
     */
    public double median() {
        return middle(values);
    }

    /**
     * Returns the median of the distances of the values from their median. One wild value does not change it.
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
     * Returns the smallest value.
     *
     * @return the minimum
     */
    public double low() {
        return Collections.min(values);
    }

    /**
     * Returns the largest value.
     *
     * @return the maximum
     */
    public double high() {
        return Collections.max(values);
    }

    /**
     * Returns all values, in the order in which they were measured.
     *
     * @return a copy
     */
    @JsonValue
    public List<Double> values() {
        return List.copyOf(values);
    }
}
